// The types of reference.mjs, for the tests that hold its pages fresh.

export function referencePages(document: Record<string, unknown>): Map<string, string>
