// The types of reference.mjs, for the tests that hold its pages fresh.

export function buildPages(document: Record<string, unknown>): Map<string, string>
