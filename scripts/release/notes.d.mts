// The types of notes.mjs.
export function findSection(changelog: string, version: string): string | undefined
export function writeNotes(changelog: string, version: string): string
