// The choice of who is responsible for a service account: a member, or the organization itself.
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { membersQuery } from './queries.ts'

/** As an owner is called that is no person. */
export const OF_ORGANIZATION = 'Organization'
/** No login name has a colon. */
const ORGANIZATION = 'org:'
const SHOWN_AT_ONCE = 50

interface OwnerSelectProps {
  org: string
  /** Null is the organization; undefined when nobody is chosen yet. */
  owner: string | null | undefined
  error: string | undefined
  onChange: (owner: string | null) => void
}

export function OwnerSelect({ org, owner, error, onChange }: OwnerSelectProps) {
  const members = useQuery(membersQuery(org))
  const people = (members.data ?? []).map(({ user, display_name }) => ({
    value: user,
    label: display_name === user ? user : `${display_name} (${user})`,
  }))
  return (
    <Select
      label="Owner"
      description="Manages the account and its keys. When the owner leaves, the keys stop after a grace period. An account of the organization keeps its keys."
      placeholder="A member, or the organization"
      data={[{ value: ORGANIZATION, label: OF_ORGANIZATION }, ...people]}
      value={owner === null ? ORGANIZATION : (owner ?? null)}
      searchable
      limit={SHOWN_AT_ONCE}
      required
      allowDeselect={false}
      error={members.error?.message ?? error}
      onChange={chosen => chosen !== null && onChange(chosen === ORGANIZATION ? null : chosen)}
    />
  )
}
