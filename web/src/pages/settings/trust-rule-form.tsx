// The fields of a trust rule. Its name is chosen once.
import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { errorAt, fieldErrorsOf } from '../../ui/field-errors.ts'
import { Failed } from '../../ui/states.tsx'
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
  const errors = fieldErrorsOf(error)
  const isIdle = draft.operations.length === 0
  const isUnclear = isIdle || draft.claims.some(claim => isTwice(draft.claims, claim))
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
        <PrivilegeSelect
          privilege={draft.privilege}
          error={errors.privilege}
          onChange={privilege => change({ privilege })}
        />
        <OperationsField
          operations={draft.operations}
          error={isIdle ? 'Choose at least one' : errorAt(errors, 'operations')}
          onChange={operations => change({ operations })}
        />
        <TextInput
          label="Only in this flow"
          description="Empty: in every flow"
          maxLength={255}
          {...text('flow_name')}
        />
        {error && <Failed error={error} />}
        <Group>
          <Button type="submit" loading={isPending} disabled={isUnclear}>
            {isNew ? 'Create the rule' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface PrivilegeSelectProps {
  privilege: Privilege
  error: string | undefined
  onChange: (privilege: Privilege) => void
}

function PrivilegeSelect({ privilege, error, onChange }: PrivilegeSelectProps) {
  return (
    <Select
      label="Role of the key"
      data={PRIVILEGES}
      value={privilege}
      allowDeselect={false}
      error={error}
      onChange={chosen => chosen && onChange(chosen as Privilege)}
    />
  )
}
