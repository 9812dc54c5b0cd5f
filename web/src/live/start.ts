// The parts that keep open pages up to date, put together: there is one of each in the app.
import { connection, endSession, openEvents, queries } from '../api.ts'
import { makeInvalidator } from './invalidator.ts'
import { makeLive } from './live.ts'
import { clock } from './server-clock.ts'
import { makeSwitch } from './switch.ts'

const invalidator = makeInvalidator(queries)

/** Whether this page asks for changes at intervals. */
export const polling = makeSwitch()

export const live = makeLive({
  connection,
  open: openEvents,
  onChange: invalidator.add,
  onReset: org => void invalidator.invalidateOrg(org),
  onTime: clock.learn,
  onSignedOut: endSession,
  // The session says which organizations are left; what pages show of this one must go.
  onRefused: () => void queries.invalidateQueries(),
  onPolling: polling.set,
})

/** What belongs to the user and is in the log of no organization. */
const OWN = ['session', 'user-sessions', 'default-org', 'profile', 'api-keys']

/** After a change of this page: refetches what it has changed, and everything if that cannot be told. */
export async function refetchChanged(): Promise<void> {
  try {
    await live.catchUp()
  } catch {
    // There is no organization, no answer, or the stream was faster: then everything may be different.
    return queries.invalidateQueries()
  }
  await Promise.all([
    invalidator.flush(),
    queries.invalidateQueries({ predicate: ({ queryKey }) => OWN.includes(String(queryKey[0])) }),
  ])
}
