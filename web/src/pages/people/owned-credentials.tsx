// What happens to the service accounts and SCIM tokens of a person whose role changes, or who leaves: for the dialogs
// that ask before. Whoever may not see them sees nothing.
import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { organizationQuery, scimTokensQuery, serviceAccountsQuery } from '../../parts/queries.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { formatRole, pickLesserRole, type Role, useRole } from '../../parts/use-role.ts'
import { peopleTexts as texts } from './texts.ts'

type ServiceAccount = Schemas['ServiceAccount']

interface Props {
  org: string
  user: string
  /** The role to come; null if the person leaves. */
  becomes: Role | null
}

export function OwnedCredentials({ org, user, becomes: role }: Props) {
  const { canSee } = useRole(org)
  const accounts = useQuery({ ...serviceAccountsQuery(org), enabled: canSee('snapshotter') })
  const tokens = useQuery({ ...scimTokensQuery(org), enabled: canSee('admin') })
  const organization = useQuery(organizationQuery(org))
  const grace_days = organization.data?.settings?.leaver_grace_days
  const owned = (accounts.data ?? []).filter(({ owner }) => owner === user)
  const names = [user, ...owned.map(({ name }) => name)]
  const stopped = (tokens.data ?? []).filter(
    ({ owner, is_in_force }) => role !== 'admin' && is_in_force && owner !== null && names.includes(owner),
  )
  const changes = [
    ...owned.flatMap(account => describeAccount(account, role, grace_days)),
    ...stopped.map(({ description }) => texts.owned.tokenStops(description)),
  ]
  if (changes.length === 0) return null
  return (
    <>
      <Text mt="sm">{texts.owned.title}</Text>
      <List size="sm">
        {changes.map(change => (
          <List.Item key={change}>{change}</List.Item>
        ))}
      </List>
    </>
  )
}

/** Nothing if the change leaves the account as it is. */
function describeAccount(
  { name, privilege, acts_as, keys_stop_at }: ServiceAccount,
  role: Role | null,
  grace_days: number | undefined,
): string[] {
  const hasLeft = role === null || keys_stop_at !== null
  const granted = pickLesserRole(privilege, role ?? privilege)
  const then = formatRole(hasLeft ? pickLesserRole(granted, 'member') : granted)
  const lesser = then === formatRole(acts_as) ? [] : [texts.owned.actsAs(name, then)]
  // If its owner has left before, it is decided when its keys stop.
  if (role !== null || keys_stop_at !== null) return lesser
  return grace_days === 0 ? [texts.owned.stopsNow(name)] : [...lesser, texts.owned.stops(name, grace_days)]
}
