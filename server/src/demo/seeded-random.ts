// Chance that repeats: the same seed rolls the same numbers, so that the demo is the same story every time.

export interface Dice {
  /** From 0 to below 1. */
  roll(): number
  pick<T>(from: readonly T[]): T
}

/** A small congruential generator; good enough for stories. */
export function makeDice(seed: number): Dice {
  let state = seed >>> 0
  const roll = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return { roll, pick: from => from[Math.floor(roll() * from.length)] as (typeof from)[number] }
}
