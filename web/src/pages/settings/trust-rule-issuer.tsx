// Who issues the tokens of a trust rule: the CI system, its address, and its keys if they cannot be fetched.
import { Select, Textarea, TextInput } from '@mantine/core'
import { type FieldErrors, findFieldError } from '../../ui/field-errors.ts'
import { keylessTexts } from './texts-keyless.ts'
import { provisioningTexts as texts } from './texts-provisioning.ts'
import { changeKind, isReadable, type RuleDraft } from './trust-rule-draft.ts'
import { type IssuerKind, KINDS } from './trust-rule-kinds.ts'

interface IssuerFieldsProps {
  draft: RuleDraft
  errors: FieldErrors
  onChange: (part: Partial<RuleDraft>) => void
}

const OPTIONS = Object.entries(keylessTexts.kinds).map(([value, label]) => ({ value, label }))

export function IssuerFields({ draft, errors, onChange }: IssuerFieldsProps) {
  return (
    <>
      <Select
        label={keylessTexts.kind}
        description={keylessTexts.kindHelp}
        data={OPTIONS}
        value={draft.issuer_kind}
        allowDeselect={false}
        error={errors.issuer_kind}
        onChange={chosen => chosen && onChange(changeKind(draft, chosen as IssuerKind))}
      />
      <TextInput
        label={texts.trustRule.issuer}
        description={texts.trustRule.issuerHelp}
        placeholder={KINDS[draft.issuer_kind].issuer}
        required
        maxLength={2048}
        value={draft.issuer}
        error={errors.issuer}
        onChange={({ currentTarget }) => onChange({ issuer: currentTarget.value })}
      />
    </>
  )
}

export function KeysField({ draft: { jwks }, errors, onChange }: IssuerFieldsProps) {
  return (
    <Textarea
      label={keylessTexts.keys}
      description={keylessTexts.keysHelp}
      autosize
      minRows={2}
      maxRows={12}
      value={jwks}
      error={isReadable(jwks) ? findFieldError(errors, 'jwks') : keylessTexts.badKeys}
      onChange={({ currentTarget }) => onChange({ jwks: currentTarget.value })}
    />
  )
}
