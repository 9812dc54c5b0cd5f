// The types of pack.mjs that tests use.
export function packProgram(folder: string): Promise<string>
export function installPacked(file: string, prefix: string, more?: string[]): string
