// The types of client-types.mjs, for the test that keeps client/schema.ts up to date.

export function buildClientTypes(document: Record<string, unknown>): Promise<string>
