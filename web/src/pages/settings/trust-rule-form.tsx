// The form of a trust rule. The name can only be set on a new rule.

import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { explainRoles } from '../../parts/use-role.ts'
import { type FieldErrors, findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { OperationsField } from './operations-field.tsx'
import { keylessTexts } from './texts-keyless.ts'
import { provisioningTexts as texts } from './texts-provisioning.ts'
import { ClaimFields } from './trust-rule-claims.tsx'
import { isDuplicate, isReadable, type Privilege, type RuleDraft } from './trust-rule-draft.ts'
import { IssuerFields, KeysField } from './trust-rule-issuer.tsx'
import { KINDS } from './trust-rule-kinds.ts'

const PRIVILEGES: { value: Privilege; label: string }[] = explainRoles(['reader', 'snapshotter', 'member'])

interface RuleFormProps {
  initial: RuleDraft
  isNew: boolean
  isPending: boolean
  error: Error | null
  onSubmit: (draft: RuleDraft) => void
}

export function RuleForm({ initial, isNew, isPending, error, onSubmit }: RuleFormProps) {
  const [draft, setDraft] = useState(initial)
  const change = (part: Partial<RuleDraft>) => setDraft(current => ({ ...current, ...part }))
  const errors = readFieldErrors(error)
  const isIncomplete =
    draft.operations.length === 0 ||
    !isReadable(draft.jwks) ||
    draft.claims.some(claim => isDuplicate(draft.claims, claim))
  const { pin, hasOwnAudience = false } = KINDS[draft.issuer_kind]
  const text = (name: 'name' | 'description' | 'audience' | 'flow_name') => ({
    value: draft[name],
    error: errors[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      change({ [name]: currentTarget.value }),
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        onSubmit(draft)
      }}
    >
      <Stack maw={720}>
        {isNew && (
          <TextInput
            label={texts.trustRule.name}
            description={texts.trustRule.nameHelp}
            placeholder={texts.trustRule.nameExample}
            required
            maxLength={255}
            {...text('name')}
          />
        )}
        <TextInput label={texts.trustRule.description} {...text('description')} />
        <IssuerFields draft={draft} errors={errors} onChange={change} />
        <ClaimFields
          help={keylessTexts.pin(pin)}
          claims={draft.claims}
          errors={errors}
          onChange={claims => change({ claims })}
        />
        <TextInput
          label={texts.trustRule.audience}
          description={hasOwnAudience ? keylessTexts.ownAudience : texts.trustRule.audienceHelp}
          required={hasOwnAudience}
          maxLength={2048}
          {...text('audience')}
        />
        <KeysField draft={draft} errors={errors} onChange={change} />
        <Permissions draft={draft} errors={errors} onChange={change} />
        <TextInput
          label={texts.trustRule.flow}
          description={texts.trustRule.flowHelp}
          maxLength={255}
          {...text('flow_name')}
        />
        {error && <ErrorAlert error={error} />}
        <Group>
          <Button type="submit" loading={isPending} disabled={isIncomplete}>
            {isNew ? texts.trustRule.create : texts.trustRule.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface PermissionsProps {
  draft: RuleDraft
  errors: FieldErrors
  onChange: (part: Partial<RuleDraft>) => void
}

/** What the keys can do: their role and their operations. */
function Permissions({ draft: { privilege, operations }, errors, onChange }: PermissionsProps) {
  return (
    <>
      <Select
        label={texts.trustRule.role}
        data={PRIVILEGES}
        value={privilege}
        allowDeselect={false}
        error={errors.privilege}
        onChange={chosen => chosen && onChange({ privilege: chosen as Privilege })}
      />
      <OperationsField
        operations={operations}
        error={operations.length === 0 ? texts.trustRule.noOperations : findFieldError(errors, 'operations')}
        onChange={chosen => onChange({ operations: chosen })}
      />
    </>
  )
}
