// The types of client-types.mjs, for the test that holds client/schema.ts fresh.

export function clientTypes(document: Record<string, unknown>): Promise<string>
