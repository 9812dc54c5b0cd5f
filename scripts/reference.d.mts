// The types of reference.mjs, for the tests that keep its pages up to date.

export function buildPages(document: Record<string, unknown>): Map<string, string>
