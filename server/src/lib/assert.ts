// Asserts states that cannot happen. A failed assertion is a bug, never bad input.

export function assert(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${why}`)
}
