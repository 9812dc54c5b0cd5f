// Selects the owner of a service account: a member, or the organization itself.
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FieldProps } from '../../ui/use-draft.ts'
import { membersQuery } from './queries.ts'
import { accountsTexts as texts } from './texts-accounts.ts'

/** Cannot clash with a user name, which has no colon. */
const ORGANIZATION = 'org:'
const MAX_SHOWN = 50

/** The value is null for the organization, undefined if nobody is chosen yet. */
interface OwnerSelectProps extends FieldProps<string | null> {
  org: string
}

export function OwnerSelect({ org, value: owner, error, onChange, ...field }: OwnerSelectProps) {
  const members = useQuery(membersQuery(org))
  const people = (members.data ?? []).map(({ user, display_name }) => ({
    value: user,
    label: display_name === user ? user : texts.owner.person(display_name, user),
  }))
  return (
    <Select
      {...field}
      label={texts.owner.field}
      description={texts.owner.fieldHelp}
      placeholder={texts.owner.fieldExample}
      data={[{ value: ORGANIZATION, label: texts.owner.organization }, ...people]}
      value={owner === null ? ORGANIZATION : (owner ?? null)}
      searchable
      limit={MAX_SHOWN}
      required
      allowDeselect={false}
      error={members.error?.message ?? error}
      onChange={chosen => chosen !== null && onChange(chosen === ORGANIZATION ? null : chosen)}
    />
  )
}
