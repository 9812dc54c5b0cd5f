// The form of a service account: display name, description and role, and for a new account also its name and owner.

import { Button, Group, Select, Textarea, TextInput } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { explainRoles, ROLES, useRole } from '../../parts/use-role.ts'
import { DraftForm } from '../../ui/draft-form.tsx'
import type { Draft } from '../../ui/use-draft.ts'
import { OwnerSelect } from './owner-select.tsx'
import { accountsTexts as texts } from './texts-accounts.ts'

export type ServiceAccount = Schemas['ServiceAccount']
type Privilege = ServiceAccount['privilege']

const PRIVILEGES: { value: Privilege; label: string }[] = explainRoles(ROLES)

export interface AccountDraft {
  name: string
  display_name: string
  description: string
  privilege: Privilege
  /** Set by admins when they create the account; a separate dialog changes it later. */
  owner?: string | null
}

interface ServiceAccountFormProps {
  org: string
  draft: Draft<AccountDraft>
  isNew: boolean
  action: string
}

export function ServiceAccountForm({ org, draft, isNew, action }: ServiceAccountFormProps) {
  const { form } = draft
  const { isAdmin, hasRole } = useRole(org)
  return (
    <DraftForm
      draft={draft}
      maw={560}
      actions={
        <Group justify="flex-end">
          <Button type="submit" loading={draft.isPending}>
            {action}
          </Button>
        </Group>
      }
    >
      {isNew && (
        <TextInput
          label={texts.account.name}
          description={texts.account.nameHelp}
          maxLength={64}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
      )}
      <TextInput
        label={texts.account.displayName}
        description={texts.account.displayNameHelp}
        maxLength={200}
        {...form.getInputProps('display_name')}
      />
      <Textarea
        label={texts.account.description}
        autosize
        minRows={2}
        {...form.getInputProps('description')}
      />
      <Select
        label={texts.account.role}
        description={texts.account.roleHelp}
        data={PRIVILEGES.filter(({ value }) => hasRole(value))}
        allowDeselect={false}
        {...form.getInputProps('privilege')}
      />
      {isNew && isAdmin && <OwnerSelect org={org} {...form.getInputProps('owner')} />}
    </DraftForm>
  )
}
