// The access settings of an organization: public flows, the public log, single sign-on, invitations, and the default role.

import { Alert, Select, Switch, TagsInput, Text } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { explainRoles } from '../../parts/use-role.ts'
import { type FieldErrors, findFieldError } from '../../ui/field-errors.ts'
import { settingsTexts as texts } from './texts.ts'

type StoredSettings = NonNullable<Schemas['Organization']['settings']>

/** While editing, a number field may be empty. */
export type Settings = Omit<StoredSettings, 'leaver_grace_days'> & { leaver_grace_days: number | null }

const DEFAULT_ROLES: { value: Settings['default_role']; label: string }[] = explainRoles([
  'reader',
  'snapshotter',
  'member',
])

interface SettingsFieldsProps {
  settings: Settings
  errors: FieldErrors
  onChange: (settings: Settings) => void
}

export function SettingsFields({ settings, errors, onChange }: SettingsFieldsProps) {
  return (
    <>
      <Switch
        label={texts.access.publicFlows}
        description={texts.access.publicFlowsHelp}
        checked={settings.public_read}
        onChange={({ currentTarget }) => onChange({ ...settings, public_read: currentTarget.checked })}
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
        checked={settings.public_log}
        onChange={({ currentTarget }) => onChange({ ...settings, public_log: currentTarget.checked })}
      />
      <Switch
        label={texts.access.ssoRequired}
        description={texts.access.ssoRequiredHelp}
        checked={settings.sso_required}
        error={errors['settings.sso_required']}
        onChange={({ currentTarget }) => onChange({ ...settings, sso_required: currentTarget.checked })}
      />
      {settings.sso_required && (
        <TagsInput
          label={texts.access.breakGlass}
          description={texts.access.breakGlassHelp}
          placeholder={texts.access.breakGlassExample}
          value={settings.break_glass}
          acceptValueOnBlur
          error={findFieldError(errors, 'settings.break_glass')}
          onChange={break_glass => onChange({ ...settings, break_glass })}
        />
      )}
      <TagsInput
        label={texts.access.invitedDomains}
        description={texts.access.invitedDomainsHelp}
        placeholder={texts.access.invitedDomainsExample}
        value={settings.mail_domains}
        acceptValueOnBlur
        error={findFieldError(errors, 'settings.mail_domains')}
        onChange={mail_domains => onChange({ ...settings, mail_domains })}
      />
      <Select
        label={texts.access.defaultRole}
        data={DEFAULT_ROLES}
        value={settings.default_role}
        allowDeselect={false}
        error={errors['settings.default_role']}
        onChange={role => role && onChange({ ...settings, default_role: role as Settings['default_role'] })}
      />
    </>
  )
}
