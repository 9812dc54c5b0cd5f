// Who may read an organization, who may be invited, and what those become who join it by signing in.
import { Alert, Select, Switch, TagsInput, Text } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { type FieldErrors, findFieldError } from '../../ui/field-errors.ts'

type StoredSettings = NonNullable<Schemas['Organization']['settings']>

/** While they are edited, a number may be missing. */
export type Settings = Omit<StoredSettings, 'leaver_grace_days'> & { leaver_grace_days: number | null }

const DEFAULT_ROLES: { value: Settings['default_role']; label: string }[] = [
  { value: 'reader', label: 'reader: reads everything' },
  { value: 'snapshotter', label: 'snapshotter: also reports what runs' },
  { value: 'member', label: 'member: also changes flows and policies' },
]

interface SettingsFieldsProps {
  settings: Settings
  errors: FieldErrors
  onChange: (settings: Settings) => void
}

export function SettingsFields({ settings, errors, onChange }: SettingsFieldsProps) {
  return (
    <>
      <Switch
        label="Public flows"
        description="Anyone can read flows marked public, and what belongs to them, without a key"
        checked={settings.public_read}
        onChange={({ currentTarget }) => onChange({ ...settings, public_read: currentTarget.checked })}
      />
      {settings.public_read && (
        <Alert color="yellow">
          <Text fw={700}>Flows marked public are open to everyone</Text>
          Anyone who can reach this service can read their trails, artifacts, attestations and attachments.
          Members, keys, settings, environments and policies stay closed.
        </Alert>
      )}
      <Switch
        label="Require single sign-on"
        description="People who signed in by mail are kept out; API keys keep working"
        checked={settings.sso_required}
        error={errors['settings.sso_required']}
        onChange={({ currentTarget }) => onChange({ ...settings, sso_required: currentTarget.checked })}
      />
      {settings.sso_required && (
        <TagsInput
          label="Break-glass admins"
          description="Admins who can come in without single sign-on when it fails. Each such sign-in is recorded."
          placeholder="user name"
          value={settings.break_glass}
          acceptValueOnBlur
          error={findFieldError(errors, 'settings.break_glass')}
          onChange={break_glass => onChange({ ...settings, break_glass })}
        />
      )}
      <TagsInput
        label="Domains that can be invited"
        description="Only mail addresses there can be invited; none means any. Press Enter after each."
        placeholder="example.com"
        value={settings.mail_domains}
        acceptValueOnBlur
        error={findFieldError(errors, 'settings.mail_domains')}
        onChange={mail_domains => onChange({ ...settings, mail_domains })}
      />
      <Select
        label="Role of those who join by signing in"
        data={DEFAULT_ROLES}
        value={settings.default_role}
        allowDeselect={false}
        error={errors['settings.default_role']}
        onChange={role => role && onChange({ ...settings, default_role: role as Settings['default_role'] })}
      />
    </>
  )
}
