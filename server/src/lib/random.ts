// Random numbers that need not be unguessable, for spreading work over time.

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

export const systemRandom: Random = () => Math.random()
