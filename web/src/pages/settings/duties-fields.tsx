// Separation of duties: who overrides attestations, approves artifacts and adds to allow-lists, and about whose work.
import { Checkbox, Fieldset, Select, Stack, Switch, TagsInput, Text } from '@mantine/core'
import { formatRolesFrom } from '../../parts/use-role.ts'
import { type FieldErrors, findFieldError } from '../../ui/field-errors.ts'
import { PageLink } from '../../ui/page-link.tsx'
import type { Settings } from './organization-fields.tsx'

type DecisionRole = Settings['decision_role']
type TwoPersons = Settings['two_person_decisions'][number]

const DECISION_ROLES: { value: DecisionRole; label: string }[] = [
  { value: 'member', label: formatRolesFrom('member') },
  { value: 'admin', label: formatRolesFrom('admin') },
]
const TWO_PERSONS: { value: TwoPersons; label: string }[] = [
  { value: 'override', label: 'Overrides of attestations' },
  { value: 'allow', label: 'Allow-list entries' },
]

interface DutiesFieldsProps {
  org: string
  settings: Settings
  errors: FieldErrors
  onChange: (settings: Settings) => void
}

export function DutiesFields({ org, settings, errors, onChange }: DutiesFieldsProps) {
  return (
    <Fieldset legend="Separation of duties">
      <Stack>
        <Select
          label="Who may decide"
          description="Everyone else is refused when they override an attestation, approve an artifact or add to an allow-list."
          data={DECISION_ROLES}
          value={settings.decision_role}
          allowDeselect={false}
          error={errors['settings.decision_role']}
          onChange={role => role && onChange({ ...settings, decision_role: role as DecisionRole })}
        />
        <TagsInput
          label="Groups that may decide"
          description="Groups of the directory (SCIM). Everyone outside of them is refused, admins and keys of programs too; none means that no group is needed. Press Enter after each."
          placeholder={settings.decision_groups.length === 0 ? 'release-managers' : ''}
          value={settings.decision_groups}
          acceptValueOnBlur
          error={findFieldError(errors, 'settings.decision_groups')}
          onChange={decision_groups => onChange({ ...settings, decision_groups })}
        />
        <Switch
          label="Nobody overrides their own work"
          description="Whoever reported an attestation, or owns the service account that did, is refused when they override it."
          checked={settings.separate_duties}
          error={errors['settings.separate_duties']}
          onChange={({ currentTarget }) => onChange({ ...settings, separate_duties: currentTarget.checked })}
        />
        <Checkbox.Group
          label="Two persons decide"
          description="What the first person asks for counts only when a second one confirms it within seven days. Keys of programs are refused."
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
          What waits for a second person:{' '}
          <PageLink to="/$org/waiting-decisions" params={{ org }}>
            Waiting decisions
          </PageLink>
        </Text>
      </Stack>
    </Fieldset>
  )
}
