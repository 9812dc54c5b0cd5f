// The form of a service account: display name, description and role, and for a new account also its name and owner.

import { Button, Group, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { explainRoles, ROLES, useRole } from '../../parts/use-role.ts'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { OwnerSelect } from './owner-select.tsx'
import { accountsTexts as texts } from './texts-accounts.ts'

export type ServiceAccount = Schemas['ServiceAccount']
export type Privilege = ServiceAccount['privilege']

const PRIVILEGES: { value: Privilege; label: string }[] = explainRoles(ROLES)

export interface AccountDraft {
  name: string
  display_name: string
  description: string
  privilege: Privilege
  /** Set by admins when they create the account; a dialog of its own changes it later. */
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
            label={texts.account.name}
            description={texts.account.nameHelp}
            value={draft.name}
            maxLength={64}
            required
            data-autofocus
            error={errors.name}
            onChange={({ currentTarget }) => setDraft({ ...draft, name: currentTarget.value })}
          />
        )}
        <TextInput
          label={texts.account.displayName}
          description={texts.account.displayNameHelp}
          value={draft.display_name}
          maxLength={200}
          error={errors.display_name}
          onChange={({ currentTarget }) => setDraft({ ...draft, display_name: currentTarget.value })}
        />
        <Textarea
          label={texts.account.description}
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
      label={texts.account.role}
      description={texts.account.roleHelp}
      data={PRIVILEGES.filter(({ value }) => hasRole(value))}
      value={privilege}
      allowDeselect={false}
      error={error}
      onChange={chosen => chosen && onChange(chosen as Privilege)}
    />
  )
}
