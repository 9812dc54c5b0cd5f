// Values that depend on the server's time: a component that uses one is rendered again only when the value
// changes.
import { useSyncExternalStore } from 'react'
import { clock } from '../live/server-clock.ts'

/** `compute` gets the time in milliseconds since 1970, and returns a comparable value. */
export function useClock<T extends string | number | boolean>(compute: (now_ms: number) => T): T {
  return useSyncExternalStore(clock.subscribe, () => compute(clock.readMs()))
}
