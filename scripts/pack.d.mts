// The types of pack.mjs that tests use.
export function packProgram(folder: string): string
