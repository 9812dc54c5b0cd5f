// The access settings of an organization: public flows, the public log, single sign-on, invitations, and the default role.

import { Alert, Select, Switch, TagsInput, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Schemas } from '../../parts/schemas.ts'
import { explainRoles } from '../../parts/use-role.ts'
import { settingsTexts as texts } from './texts.ts'

type StoredSettings = NonNullable<Schemas['Organization']['settings']>

/** While editing, a number field may be empty. */
export type Settings = Omit<StoredSettings, 'leaver_grace_days'> & { leaver_grace_days: number | null }

const DEFAULT_ROLES: { value: Settings['default_role']; label: string }[] = explainRoles([
  'reader',
  'snapshotter',
  'member',
])

export interface OrganizationDraft {
  description: string
  controls: boolean
  settings: Settings | undefined
}

export type OrganizationForm = UseFormReturnType<OrganizationDraft>

interface SettingsFieldsProps {
  form: OrganizationForm
  settings: Settings
}

export function SettingsFields({ form, settings }: SettingsFieldsProps) {
  return (
    <>
      <Switch
        label={texts.access.publicFlows}
        description={texts.access.publicFlowsHelp}
        {...form.getInputProps('settings.public_read', { type: 'checkbox' })}
      />
      {settings.public_read && (
        <Alert color="yellow">
          <Text fw={700}>{texts.access.publicFlowsWarning}</Text>
          {texts.access.publicFlowsWarningHelp}
        </Alert>
      )}
      <Switch
        label={texts.access.publicLog}
        description={texts.access.publicLogHelp}
        {...form.getInputProps('settings.public_log', { type: 'checkbox' })}
      />
      <Switch
        label={texts.access.ssoRequired}
        description={texts.access.ssoRequiredHelp}
        {...form.getInputProps('settings.sso_required', { type: 'checkbox' })}
      />
      {settings.sso_required && (
        <TagsInput
          label={texts.access.breakGlass}
          description={texts.access.breakGlassHelp}
          placeholder={texts.access.breakGlassExample}
          acceptValueOnBlur
          {...form.getInputProps('settings.break_glass')}
        />
      )}
      <TagsInput
        label={texts.access.invitedDomains}
        description={texts.access.invitedDomainsHelp}
        placeholder={texts.access.invitedDomainsExample}
        acceptValueOnBlur
        {...form.getInputProps('settings.mail_domains')}
      />
      <Select
        label={texts.access.defaultRole}
        data={DEFAULT_ROLES}
        allowDeselect={false}
        {...form.getInputProps('settings.default_role')}
      />
    </>
  )
}
