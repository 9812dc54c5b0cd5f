// What can be changed about an environment. After each, everything known about environments is asked for again.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Place } from './place.ts'

/** Keys of all that a change of an environment can make out of date. */
const AFFECTED = ['environments', 'environment', 'snapshot', 'snapshots', 'snapshot page', 'allow-list']

export function useChange<T>(change: (value: T) => Promise<unknown>, done: (value: T) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: async (_, value) => {
      done(value)
      await Promise.all(AFFECTED.map(first => client.invalidateQueries({ queryKey: [first] })))
    },
  })
}

export const pathParams = ({ org, environment }: Place) => ({ path: { org, env_name: environment } })
