// When the sender collected its data, and whether it had to keep it until the service could be reached. Stored and
// shown beside the time of the service; nothing is decided by it (docs/adr/0037-times-of-clients.md).
import { type Static, Type } from 'typebox'
import { findTimeProblem } from '../../domain/client-time.ts'
import { invalid } from '../../lib/errors.ts'
import { formatInput } from '../../lib/sentences.ts'
import { EXAMPLE_TIME } from './examples.ts'
import { about, Closed, Nullable, Time } from './wire.ts'

/** The fields of a body. */
export const COLLECTED_INPUT = {
  collected_at: Type.Optional(
    Type.Number(
      about(
        'Time at which the sender collected it, in epoch seconds, at most five minutes ahead of the service; decides nothing',
        EXAMPLE_TIME,
      ),
    ),
  ),
  spooled: Type.Optional(
    Type.Boolean(
      about('Whether the sender kept it until the service could be reached; decides nothing', false),
    ),
  ),
}
const Collected = Closed('Collected', COLLECTED_INPUT)
export type Collected = Static<typeof Collected>

/** The fields of a response. */
export const COLLECTED = {
  collected_at: Nullable(Time('Time at which the sender collected it; null if not stated'), {
    examples: [null],
  }),
  spooled: Type.Boolean(about('Whether the sender kept it until the service could be reached', false)),
}

/** As stored: null or absent if the sender stated nothing. */
interface StoredCollected {
  collected_at?: number | null | undefined
  spooled?: boolean | null | undefined
}

export function toWireCollected({ collected_at, spooled }: StoredCollected) {
  return { collected_at: collected_at ?? null, spooled: spooled ?? false }
}

/** The fields for an event; none if the sender stated nothing. */
export function listCollected({ collected_at, spooled }: Collected): Collected {
  return {
    ...(collected_at === undefined ? {} : { collected_at }),
    ...(spooled === undefined ? {} : { spooled }),
  }
}

/** The content without its collection time: a retry may state another one. */
export function omitCollected<Body extends Collected>({ collected_at, spooled, ...content }: Body) {
  return content
}

export function refuseWrongTime(field: string, seconds: number | undefined, now: Date): void {
  const problem = seconds === undefined ? undefined : findTimeProblem(seconds, now)
  if (problem) throw invalid({ [field]: `${problem} [input: ${formatInput(seconds)}]` })
}
