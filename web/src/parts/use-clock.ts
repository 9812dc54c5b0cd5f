// What depends on the time of the server: a component that uses it is drawn again when the result changes, and only then.
import { useSyncExternalStore } from 'react'
import { clock } from '../live/server-clock.ts'

/** `compute` gets the time in milliseconds since 1970, and returns a value that can be compared. */
export function useClock<T extends string | number | boolean>(compute: (now_ms: number) => T): T {
  return useSyncExternalStore(clock.subscribe, () => compute(clock.readMs()))
}
