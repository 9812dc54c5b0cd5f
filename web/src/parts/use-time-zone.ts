// Whether the user sees times in their own time zone or in UTC. The server stores the choice.
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api.ts'
import type { TimeZone } from '../ui/local-time.ts'

export function useTimeZone(): TimeZone {
  const { data } = useQuery(sessionQuery)
  return data?.time_zone ?? 'local'
}
