// The fields of a trust rule. Its name is chosen once.
import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type FieldErrors, findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { OperationsField } from './operations-field.tsx'
import { ClaimFields } from './trust-rule-claims.tsx'
import { CI_ISSUER, isTwice, type Privilege, type RuleDraft } from './trust-rule-draft.ts'

const PRIVILEGES: { value: Privilege; label: string }[] = [
  { value: 'reader', label: 'reader: reads everything' },
  { value: 'snapshotter', label: 'snapshotter: also reports what runs' },
  { value: 'member', label: 'member: also reports builds and evidence' },
]

interface RuleFormProps {
  initial: RuleDraft
  isNew: boolean
  isPending: boolean
  error: Error | null
  onSubmit: (draft: RuleDraft) => void
}

export function RuleForm({ initial, isNew, isPending, error, onSubmit }: RuleFormProps) {
  const [draft, setDraft] = useState(initial)
  const change = (part: Partial<RuleDraft>) => setDraft(before => ({ ...before, ...part }))
  const errors = readFieldErrors(error)
  const isUnclear = draft.operations.length === 0 || draft.claims.some(claim => isTwice(draft.claims, claim))
  const text = (name: 'name' | 'description' | 'issuer' | 'audience' | 'flow_name') => ({
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
            label="Name"
            description="Letters, digits, hyphens, underscores, dots and tildes"
            placeholder="backend-main"
            required
            maxLength={255}
            {...text('name')}
          />
        )}
        <TextInput label="What it is for" {...text('description')} />
        <TextInput
          label="Issuer of the tokens"
          description="One of those that whoever runs the service allows"
          placeholder={CI_ISSUER}
          required
          maxLength={2048}
          {...text('issuer')}
        />
        <ClaimFields claims={draft.claims} errors={errors} onChange={claims => change({ claims })} />
        <TextInput
          label="Audience"
          description="Whom the tokens must be for. Empty: the address of the service, a slash and the organization"
          maxLength={2048}
          {...text('audience')}
        />
        <Rights draft={draft} errors={errors} onChange={change} />
        <TextInput
          label="Only in this flow"
          description="Empty: in every flow"
          maxLength={255}
          {...text('flow_name')}
        />
        {error && <ErrorAlert error={error} />}
        <Group>
          <Button type="submit" loading={isPending} disabled={isUnclear}>
            {isNew ? 'Create the rule' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface RightsProps {
  draft: RuleDraft
  errors: FieldErrors
  onChange: (part: Partial<RuleDraft>) => void
}

/** What the keys may do: their role, and which operations of it. */
function Rights({ draft: { privilege, operations }, errors, onChange }: RightsProps) {
  return (
    <>
      <Select
        label="Role of the key"
        data={PRIVILEGES}
        value={privilege}
        allowDeselect={false}
        error={errors.privilege}
        onChange={chosen => chosen && onChange({ privilege: chosen as Privilege })}
      />
      <OperationsField
        operations={operations}
        error={operations.length === 0 ? 'Choose at least one' : findFieldError(errors, 'operations')}
        onChange={chosen => onChange({ operations: chosen })}
      />
    </>
  )
}
