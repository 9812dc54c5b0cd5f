// How the places of an artifact are told: where it runs and where it ran, and the sentences of its history.
import type { Place } from './places-store.ts'
import { toEpoch } from './wire.ts'

export interface Told {
  event: string
  timestamp: number
}

/** The places of one kind, newest first. */
export function newest(places: readonly Place[], kind: Place['kind']): Place[] {
  return places.filter(place => place.kind === kind).reverse()
}

/** The history of an artifact in the order of time; of what happened together, what was given first comes first. */
export function historyWith(told: readonly Told[], places: readonly Place[]): Told[] {
  const moves = places.filter(({ kind }) => kind !== 'running').map(sentence)
  return [...told, ...moves].sort((a, b) => a.timestamp - b.timestamp)
}

function sentence({ kind, environment_name, snapshot_index, happened_at }: Place): Told {
  const where = `running in ${environment_name}#${snapshot_index} environment`
  return {
    event: `${kind === 'started' ? 'Started' : 'No longer'} ${where}`,
    timestamp: toEpoch(happened_at),
  }
}
