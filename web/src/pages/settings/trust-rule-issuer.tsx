// The token issuer of a trust rule: the CI system, its address, and its keys if they cannot be fetched.
import { Select, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { keylessTexts } from './texts-keyless.ts'
import { provisioningTexts as texts } from './texts-provisioning.ts'
import { changeKind, type RuleDraft } from './trust-rule-draft.ts'
import { type IssuerKind, KINDS } from './trust-rule-kinds.ts'

interface IssuerFieldsProps {
  form: UseFormReturnType<RuleDraft>
}

const OPTIONS = Object.entries(keylessTexts.kinds).map(([value, label]) => ({ value, label }))

export function IssuerFields({ form }: IssuerFieldsProps) {
  return (
    <>
      <Select
        label={keylessTexts.kind}
        description={keylessTexts.kindHelp}
        data={OPTIONS}
        allowDeselect={false}
        {...form.getInputProps('issuer_kind')}
        onChange={chosen => chosen && form.setValues(changeKind(form.values, chosen as IssuerKind))}
      />
      <TextInput
        label={texts.trustRule.issuer}
        description={texts.trustRule.issuerHelp}
        placeholder={KINDS[form.values.issuer_kind].issuer}
        required
        maxLength={2048}
        {...form.getInputProps('issuer')}
      />
    </>
  )
}

export function KeysField({ form }: IssuerFieldsProps) {
  return (
    <Textarea
      label={keylessTexts.keys}
      description={keylessTexts.keysHelp}
      autosize
      minRows={2}
      maxRows={12}
      {...form.getInputProps('jwks')}
    />
  )
}
