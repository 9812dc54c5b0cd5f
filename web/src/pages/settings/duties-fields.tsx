// Separation of duties: who can override attestations, approve artifacts and add to allow-lists.
import { Checkbox, Fieldset, Select, Stack, Switch, TagsInput, Text } from '@mantine/core'
import { formatRolesFrom } from '../../parts/use-role.ts'
import { type FieldErrors, findFieldError } from '../../ui/field-errors.ts'
import { PageLink } from '../../ui/page-link.tsx'
import type { Settings } from './organization-fields.tsx'
import { settingsTexts as texts } from './texts.ts'

type DecisionRole = Settings['decision_role']
type TwoPersons = Settings['two_person_decisions'][number]

const DECISION_ROLES: { value: DecisionRole; label: string }[] = [
  { value: 'member', label: formatRolesFrom('member') },
  { value: 'admin', label: formatRolesFrom('admin') },
]
const TWO_PERSONS: { value: TwoPersons; label: string }[] = [
  { value: 'override', label: texts.duties.overrides },
  { value: 'allow', label: texts.duties.allowList },
]

interface DutiesFieldsProps {
  org: string
  settings: Settings
  errors: FieldErrors
  onChange: (settings: Settings) => void
}

export function DutiesFields({ org, settings, errors, onChange }: DutiesFieldsProps) {
  return (
    <Fieldset legend={texts.duties.title}>
      <Stack>
        <Select
          label={texts.duties.role}
          description={texts.duties.roleHelp}
          data={DECISION_ROLES}
          value={settings.decision_role}
          allowDeselect={false}
          error={errors['settings.decision_role']}
          onChange={role => role && onChange({ ...settings, decision_role: role as DecisionRole })}
        />
        <TagsInput
          label={texts.duties.groups}
          description={texts.duties.groupsHelp}
          placeholder={settings.decision_groups.length === 0 ? texts.duties.groupsExample : ''}
          value={settings.decision_groups}
          acceptValueOnBlur
          error={findFieldError(errors, 'settings.decision_groups')}
          onChange={decision_groups => onChange({ ...settings, decision_groups })}
        />
        <Switch
          label={texts.duties.ownWork}
          description={texts.duties.ownWorkHelp}
          checked={settings.separate_duties}
          error={errors['settings.separate_duties']}
          onChange={({ currentTarget }) => onChange({ ...settings, separate_duties: currentTarget.checked })}
        />
        <Checkbox.Group
          label={texts.duties.twoPersons}
          description={texts.duties.twoPersonsHelp}
          value={settings.two_person_decisions}
          error={findFieldError(errors, 'settings.two_person_decisions')}
          onChange={chosen =>
            onChange({
              ...settings,
              two_person_decisions: TWO_PERSONS.map(({ value }) => value).filter(each =>
                chosen.includes(each),
              ),
            })
          }
        >
          <Stack gap="xs" my="xs">
            {TWO_PERSONS.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Text size="sm">
          {texts.duties.waiting}{' '}
          <PageLink to="/$org/waiting-decisions" params={{ org }}>
            {texts.duties.waitingLink}
          </PageLink>
        </Text>
      </Stack>
    </Fieldset>
  )
}
