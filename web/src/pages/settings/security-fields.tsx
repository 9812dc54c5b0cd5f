// The security settings of an organization: keys, allowed addresses, and service accounts.
import { Fieldset, NumberInput, Select, Stack } from '@mantine/core'
import { formatRolesFrom, ROLES } from '../../parts/use-role.ts'
import type { FieldProps } from '../../ui/use-draft.ts'
import { AddressesField } from './addresses-field.tsx'
import type { OrganizationForm, Settings } from './organization-fields.tsx'
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
  form: OrganizationForm
  settings: Settings
  hasServiceAccounts: boolean
}

export function SecurityFields({ form, settings, hasServiceAccounts }: SecurityFieldsProps) {
  return (
    <Fieldset legend={texts.security.title}>
      <Stack>
        <DaysField
          label={texts.security.keyLifetime}
          description={texts.security.keyLifetimeHelp(MAX_LIFETIME_DAYS)}
          {...form.getInputProps('settings.max_key_lifetime_days')}
        />
        <AddressesField
          description={texts.addresses.ofOrganization}
          {...form.getInputProps('settings.allowed_addresses')}
        />
        {hasServiceAccounts && (
          <>
            <Select
              label={texts.security.accountCreators}
              data={CREATORS}
              allowDeselect={false}
              {...form.getInputProps('settings.service_account_creators')}
              value={getCreator(settings)}
            />
            <DaysField
              label={texts.security.leaverGrace}
              description={texts.security.leaverGraceHelp(MAX_GRACE_DAYS)}
              required
              {...form.getInputProps('settings.leaver_grace_days')}
            />
          </>
        )}
      </Stack>
    </Fieldset>
  )
}

interface DaysFieldProps extends FieldProps<number | null> {
  label: string
  description: string
  required?: boolean
}

/** Null if empty. The server rejects values that are too large: the field never changes what somebody typed. */
function DaysField({ value, onChange, ...field }: DaysFieldProps) {
  return (
    <NumberInput
      {...field}
      value={value ?? ''}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="none"
      onChange={typed => onChange(typed === '' ? null : Number(typed))}
    />
  )
}
