// Reproducible random numbers: the same seed gives the same numbers, so that the demo is the same every time.

export interface SeededRandom {
  /** From 0 to below 1. */
  next(): number
  pick<T>(from: readonly T[]): T
}

/** A linear congruential generator, which is good enough for demo data. */
export function makeSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return { next, pick: from => from[Math.floor(next() * from.length)] as (typeof from)[number] }
}
