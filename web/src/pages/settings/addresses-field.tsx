// The addresses from which an organization or a key can be used.
import { TagsInput } from '@mantine/core'
import type { FieldProps } from '../../ui/use-draft.ts'
import { settingsTexts as texts } from './texts.ts'

interface AddressesFieldProps extends FieldProps<string[]> {
  description: string
}

export function AddressesField({ description, value = [], ...field }: AddressesFieldProps) {
  return (
    <TagsInput
      {...field}
      label={texts.addresses.label}
      description={texts.addresses.help(description)}
      // Among other addresses, it would look like one of them.
      placeholder={value.length === 0 ? texts.addresses.example : ''}
      value={value}
      acceptValueOnBlur
    />
  )
}
