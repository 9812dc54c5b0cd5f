// Who may read an organization, who may be invited, and what those become who join it by signing in.
import { Alert, Select, Switch, TagsInput, Text } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { errorAt, type FieldErrors } from '../../ui/field-errors.ts'

export type Settings = NonNullable<Schemas['Organization']['settings']>

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
        label="Open to everybody"
        description="Everybody may read what readers may read, without signing in"
        checked={settings.public_read}
        onChange={({ currentTarget }) => onChange({ ...settings, public_read: currentTarget.checked })}
      />
      {settings.public_read && (
        <Alert color="yellow">
          <Text fw={700}>Everything that readers see is public</Text>
          Artifacts, evidence, environments and policies can be read by anybody who can reach this service.
        </Alert>
      )}
      <TagsInput
        label="Mail domains"
        description="Only addresses there can be invited; none means any. Press Enter after each."
        placeholder="example.com"
        value={settings.mail_domains}
        acceptValueOnBlur
        error={errorAt(errors, 'settings.mail_domains')}
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
