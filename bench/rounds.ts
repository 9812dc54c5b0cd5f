// Alternates between variants, so that other load on the machine affects all of them alike.
import type { Rate } from './http-load.ts'

export type Phase = (duration_ms: number) => Promise<Rate>

/** Returns the rate of every variant for each round. */
export async function runInTurns<N extends string>(
  phases: Record<N, Phase>,
  { rounds, warm_up_ms, phase_ms }: { rounds: number; warm_up_ms: number; phase_ms: number },
): Promise<Record<N, number[]>> {
  const names = Object.keys(phases) as N[]
  const rates = Object.fromEntries(names.map(name => [name, []])) as unknown as Record<N, number[]>
  for (const name of names) await phases[name](warm_up_ms)
  for (let round = 0; round < rounds; round++) {
    for (const name of names) rates[name].push((await phases[name](phase_ms)).per_second)
  }
  return rates
}
