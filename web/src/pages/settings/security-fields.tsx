// The security settings of an organization: keys, allowed addresses, and service accounts.
import { Fieldset, NumberInput, Select, Stack } from '@mantine/core'
import { formatRolesFrom, ROLES } from '../../parts/use-role.ts'
import type { FieldErrors } from '../../ui/field-errors.ts'
import { AddressesField } from './addresses-field.tsx'
import type { Settings } from './organization-fields.tsx'
import { settingsTexts as texts } from './texts.ts'

const MAX_LIFETIME_DAYS = 3650
const MAX_GRACE_DAYS = 90
/** Without readers, who cannot see service accounts, and auditors, who change nothing. */
const CREATORS = ROLES.filter(role => role !== 'reader' && role !== 'auditor')
  .toReversed()
  .map(role => ({ value: role, label: formatRolesFrom(role) }))

/** The API also accepts `reader`, which has the same effect as `snapshotter`. */
const getCreator = ({ service_account_creators: role }: Settings) =>
  role === 'reader' ? 'snapshotter' : role

interface SecurityFieldsProps {
  settings: Settings
  hasServiceAccounts: boolean
  errors: FieldErrors
  onChange: (settings: Settings) => void
}

export function SecurityFields({ settings, hasServiceAccounts, errors, onChange }: SecurityFieldsProps) {
  return (
    <Fieldset legend={texts.security.title}>
      <Stack>
        <DaysField
          label={texts.security.keyLifetime}
          description={texts.security.keyLifetimeHelp(MAX_LIFETIME_DAYS)}
          days={settings.max_key_lifetime_days}
          error={errors['settings.max_key_lifetime_days']}
          onChange={max_key_lifetime_days => onChange({ ...settings, max_key_lifetime_days })}
        />
        <AddressesField
          description={texts.addresses.ofOrganization}
          addresses={settings.allowed_addresses}
          errors={errors}
          path="settings.allowed_addresses"
          onChange={allowed_addresses => onChange({ ...settings, allowed_addresses })}
        />
        {hasServiceAccounts && (
          <>
            <Select
              label={texts.security.accountCreators}
              data={CREATORS}
              value={getCreator(settings)}
              allowDeselect={false}
              error={errors['settings.service_account_creators']}
              onChange={role =>
                role &&
                onChange({
                  ...settings,
                  service_account_creators: role as Settings['service_account_creators'],
                })
              }
            />
            <DaysField
              label={texts.security.leaverGrace}
              description={texts.security.leaverGraceHelp(MAX_GRACE_DAYS)}
              days={settings.leaver_grace_days}
              isRequired
              error={errors['settings.leaver_grace_days']}
              onChange={leaver_grace_days => onChange({ ...settings, leaver_grace_days })}
            />
          </>
        )}
      </Stack>
    </Fieldset>
  )
}

interface DaysFieldProps {
  label: string
  description: string
  days: number | null
  isRequired?: boolean
  error: string | undefined
  onChange: (days: number | null) => void
}

/** Null if empty. The server rejects values that are too large: the field never changes what somebody typed. */
function DaysField({ label, description, days, isRequired = false, error, onChange }: DaysFieldProps) {
  return (
    <NumberInput
      label={label}
      description={description}
      value={days ?? ''}
      error={error}
      required={isRequired}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="none"
      onChange={value => onChange(value === '' ? null : Number(value))}
    />
  )
}
