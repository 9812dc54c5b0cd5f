// Chance where nothing depends on its being unguessable: spreading things in time.

/** A number from 0 up to, and without, 1. */
export type Chance = () => number

export const systemChance: Chance = () => Math.random()
