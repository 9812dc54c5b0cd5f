// The types of client-types.mjs, for the test that holds client/schema.ts fresh.

export function buildClientTypes(document: Record<string, unknown>): Promise<string>
