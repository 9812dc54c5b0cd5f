// What a service account is: what people are shown, what it is for, what it may do; of a new one also its name and owner.
import { Button, Group, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { useRole } from '../../parts/use-role.ts'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { OwnerSelect } from './owner-select.tsx'

export type ServiceAccount = Schemas['ServiceAccount']
export type Privilege = ServiceAccount['privilege']

const PRIVILEGES: { value: Privilege; label: string }[] = [
  { value: 'reader', label: 'reader: reads everything' },
  { value: 'snapshotter', label: 'snapshotter: also reports what runs' },
  { value: 'member', label: 'member: also reports builds and evidence, and changes flows and policies' },
  { value: 'admin', label: 'admin: also manages people and settings' },
]

export interface AccountDraft {
  name: string
  display_name: string
  description: string
  privilege: Privilege
  /** Chosen by admins when it is created; later it has a dialog of its own. */
  owner?: string | null
}

interface ServiceAccountFormProps {
  org: string
  initial: AccountDraft
  isNew: boolean
  action: string
  isPending: boolean
  error: Error | null
  onSubmit: (draft: AccountDraft) => void
}

export function ServiceAccountForm(props: ServiceAccountFormProps) {
  const { org, initial, isNew, action, isPending, error, onSubmit } = props
  const [draft, setDraft] = useState(initial)
  const { isAdmin } = useRole(org)
  const errors = readFieldErrors(error)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        onSubmit(draft)
      }}
    >
      <Stack maw={560}>
        {isNew && (
          <TextInput
            label="Name"
            description="Letters, digits and hyphens"
            value={draft.name}
            maxLength={64}
            required
            data-autofocus
            error={errors.name}
            onChange={({ currentTarget }) => setDraft({ ...draft, name: currentTarget.value })}
          />
        )}
        <TextInput
          label="Shown to people as"
          description="Its name when it is empty"
          value={draft.display_name}
          maxLength={200}
          error={errors.display_name}
          onChange={({ currentTarget }) => setDraft({ ...draft, display_name: currentTarget.value })}
        />
        <Textarea
          label="What it is for"
          value={draft.description}
          autosize
          minRows={2}
          error={errors.description}
          onChange={({ currentTarget }) => setDraft({ ...draft, description: currentTarget.value })}
        />
        <PrivilegeSelect
          org={org}
          privilege={draft.privilege}
          error={errors.privilege}
          onChange={privilege => setDraft({ ...draft, privilege })}
        />
        {isNew && isAdmin && (
          <OwnerSelect
            org={org}
            owner={draft.owner}
            error={errors.owner}
            onChange={owner => setDraft({ ...draft, owner })}
          />
        )}
        {error && <ErrorAlert error={error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface PrivilegeSelectProps {
  org: string
  privilege: Privilege
  error: string | undefined
  onChange: (privilege: Privilege) => void
}

function PrivilegeSelect({ org, privilege, error, onChange }: PrivilegeSelectProps) {
  const { hasRole } = useRole(org)
  return (
    <Select
      label="What it may do"
      description="Never more than you may"
      data={PRIVILEGES.filter(({ value }) => hasRole(value))}
      value={privilege}
      allowDeselect={false}
      error={error}
      onChange={chosen => chosen && onChange(chosen as Privilege)}
    />
  )
}
