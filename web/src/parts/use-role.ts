// What whoever is signed in may do in an org: pages offer what the server would allow.
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api.ts'

export function useRole(org: string): { isAdmin: boolean; isMember: boolean } {
  const { data } = useQuery(sessionQuery)
  const role = data?.orgs.find(({ name }) => name === org)?.role
  return { isAdmin: role === 'admin', isMember: role === 'admin' || role === 'member' }
}
