// Separation of duties: who can override attestations, approve artifacts and add to allow-lists.
import { Checkbox, Fieldset, Select, Stack, Switch, TagsInput, Text } from '@mantine/core'
import { formatRolesFrom } from '../../parts/use-role.ts'
import { PageLink } from '../../ui/page-link.tsx'
import type { OrganizationForm, Settings } from './organization-fields.tsx'
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
  form: OrganizationForm
  settings: Settings
}

export function DutiesFields({ org, form, settings }: DutiesFieldsProps) {
  const twoPersons = form.getInputProps('settings.two_person_decisions')
  return (
    <Fieldset legend={texts.duties.title}>
      <Stack>
        <Select
          label={texts.duties.role}
          description={texts.duties.roleHelp}
          data={DECISION_ROLES}
          allowDeselect={false}
          {...form.getInputProps('settings.decision_role')}
        />
        <TagsInput
          label={texts.duties.groups}
          description={texts.duties.groupsHelp}
          placeholder={settings.decision_groups.length === 0 ? texts.duties.groupsExample : ''}
          acceptValueOnBlur
          {...form.getInputProps('settings.decision_groups')}
        />
        <Switch
          label={texts.duties.ownWork}
          description={texts.duties.ownWorkHelp}
          {...form.getInputProps('settings.separate_duties', { type: 'checkbox' })}
        />
        <Switch
          label={texts.duties.policyAuthors}
          description={texts.duties.policyAuthorsHelp}
          {...form.getInputProps('settings.separate_policy_authors', { type: 'checkbox' })}
        />
        <Checkbox.Group
          label={texts.duties.twoPersons}
          description={texts.duties.twoPersonsHelp}
          {...twoPersons}
          onChange={(chosen: string[]) =>
            twoPersons.onChange(TWO_PERSONS.map(({ value }) => value).filter(each => chosen.includes(each)))
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
