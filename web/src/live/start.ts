// Connects the parts that keep open pages up to date. The app has one of each.
import { connection, endSession, openEvents, queries } from '../api.ts'
import { makeInvalidator } from './invalidator.ts'
import { makeLive } from './live.ts'
import { clock } from './server-clock.ts'
import { makeSwitch } from './switch.ts'

const invalidator = makeInvalidator(queries)

/** Whether this page polls for changes. */
export const polling = makeSwitch()

export const live = makeLive({
  connection,
  open: openEvents,
  onChange: invalidator.add,
  onReset: org => void invalidator.invalidateOrg(org),
  onTime: clock.learn,
  onSignedOut: endSession,
  // The session lists the remaining organizations; pages must drop the data of this one.
  onRefused: () => void queries.invalidateQueries(),
  onPolling: polling.set,
})

/** Data that belongs to the user and is not in the log of any organization. */
const OWN = ['session', 'user-sessions', 'default-org', 'profile', 'api-keys']

/** After a change made on this page: refetches the affected data, or everything if that is unknown. */
export async function refetchChanged(): Promise<void> {
  try {
    await live.catchUp()
  } catch {
    // There is no organization or no response, or the stream was faster: then everything may be different.
    return queries.invalidateQueries()
  }
  await Promise.all([
    invalidator.flush(),
    queries.invalidateQueries({ predicate: ({ queryKey }) => OWN.includes(String(queryKey[0])) }),
  ])
}
