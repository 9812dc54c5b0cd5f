// What an organization demands of keys, of the addresses that members come from, and of service accounts.
import { Fieldset, NumberInput, Select, Stack } from '@mantine/core'
import { formatRolesFrom, ROLES, type Role } from '../../parts/use-role.ts'
import type { FieldErrors } from '../../ui/field-errors.ts'
import { AddressesField } from './addresses-field.tsx'
import type { Settings } from './organization-fields.tsx'

const MAX_LIFETIME_DAYS = 3650
const MAX_GRACE_DAYS = 90
/** Not readers, who see no service accounts. */
const CREATORS = ROLES.filter(role => role !== 'reader')
  .toReversed()
  .map(role => ({ value: role, label: formatRolesFrom(role) }))

/** The API takes readers as well; it is snapshotters who can create accounts then. */
const creatorOf = ({ service_account_creators: least }: Settings) =>
  least === 'reader' ? 'snapshotter' : least

interface SecurityFieldsProps {
  settings: Settings
  hasServiceAccounts: boolean
  errors: FieldErrors
  onChange: (settings: Settings) => void
}

export function SecurityFields({ settings, hasServiceAccounts, errors, onChange }: SecurityFieldsProps) {
  return (
    <Fieldset legend="Security">
      <Stack>
        <Days
          label="Maximum lifetime of keys, in days"
          description={`New keys of service accounts end by then, and personal keys are no longer accepted here. Up to ${MAX_LIFETIME_DAYS}; empty: no maximum.`}
          days={settings.max_key_lifetime_days}
          error={errors['settings.max_key_lifetime_days']}
          onChange={max_key_lifetime_days => onChange({ ...settings, max_key_lifetime_days })}
        />
        <AddressesField
          description="IP addresses and CIDR ranges that members and keys may call from, yours among them"
          addresses={settings.allowed_addresses}
          errors={errors}
          path="settings.allowed_addresses"
          onChange={allowed_addresses => onChange({ ...settings, allowed_addresses })}
        />
        {hasServiceAccounts && (
          <>
            <Select
              label="Who may create service accounts"
              data={CREATORS}
              value={creatorOf(settings)}
              allowDeselect={false}
              error={errors['settings.service_account_creators']}
              onChange={role => role && onChange({ ...settings, service_account_creators: role as Role })}
            />
            <Days
              label="Grace after the owner leaves, in days"
              description={`How long the keys of a service account still work after its owner has left, unless an admin chooses another owner. 0 to ${MAX_GRACE_DAYS}.`}
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

interface DaysProps {
  label: string
  description: string
  days: number | null
  isRequired?: boolean
  error: string | undefined
  onChange: (days: number | null) => void
}

/** Null when it is empty. What is too large is the server's to refuse: nothing that was typed is changed in silence. */
function Days({ label, description, days, isRequired = false, error, onChange }: DaysProps) {
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
