// Decides which traces are exported. A caller can exclude a request, but never have more exported than the operator
// wants: callers choose the ids of their traces, so the decision uses a random number and not the id.
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
