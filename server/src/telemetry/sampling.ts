// Decides which traces are exported. A caller can have a request left out, but never have more exported than the operator
// wants: a caller chooses the id of its trace, so the decision comes from a random number and not from the id.
import type { Random } from '../lib/random.ts'
import type { Sampler } from '../settings/telemetry.ts'
import type { RemoteParent } from './traceparent.ts'

export function decideSampling(
  { ratio, asks_caller }: Sampler,
  caller: RemoteParent | undefined,
  random: Random,
): boolean {
  if (asks_caller && caller && !caller.is_sampled) return false
  return random() < ratio
}
