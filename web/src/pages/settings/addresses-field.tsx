// A list of addresses that an organization or a key may be used from.
import { TagsInput } from '@mantine/core'
import { type FieldErrors, findFieldError } from '../../ui/field-errors.ts'

interface AddressesFieldProps {
  description: string
  addresses: string[]
  errors: FieldErrors
  /** Where it is in what is sent. */
  path: string
  onChange: (addresses: string[]) => void
}

export function AddressesField({ description, addresses, errors, path, onChange }: AddressesFieldProps) {
  return (
    <TagsInput
      label="Allowed addresses"
      description={`${description}; none means any. Press Enter after each.`}
      // Beside others it would look like one of them.
      placeholder={addresses.length === 0 ? '203.0.113.0/24' : ''}
      value={addresses}
      acceptValueOnBlur
      error={findFieldError(errors, path)}
      onChange={onChange}
    />
  )
}
