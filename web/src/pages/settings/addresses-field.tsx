// The addresses from which an organization or a key can be used.
import { TagsInput } from '@mantine/core'
import { type FieldErrors, findFieldError } from '../../ui/field-errors.ts'
import { settingsTexts as texts } from './texts.ts'

interface AddressesFieldProps {
  description: string
  addresses: string[]
  errors: FieldErrors
  /** The path of the field in the request body. */
  path: string
  onChange: (addresses: string[]) => void
}

export function AddressesField({ description, addresses, errors, path, onChange }: AddressesFieldProps) {
  return (
    <TagsInput
      label={texts.addresses.label}
      description={texts.addresses.help(description)}
      // Next to other addresses it would look like one of them.
      placeholder={addresses.length === 0 ? texts.addresses.example : ''}
      value={addresses}
      acceptValueOnBlur
      error={findFieldError(errors, path)}
      onChange={onChange}
    />
  )
}
