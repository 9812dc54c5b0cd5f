// Types of compare.mjs, for the tests.
export function findDifferences(before: unknown, after: unknown, at?: string): string[]
