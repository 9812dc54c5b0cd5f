// The types of attestation that the service itself defines beside the built-in ones. People write them by their word;
// they are stored, and may be written, with the prefix.

export const SYSTEM_TYPES = ['decision', 'sbom'] as const
export type SystemType = (typeof SYSTEM_TYPES)[number]

const PREFIX = 'system:'

const isSystemType = (word: string): word is SystemType => (SYSTEM_TYPES as readonly string[]).includes(word)

/** As evidence is stored: `sbom` and `system:sbom` are both `system:sbom`. */
export function toStoredType(type: string): string {
  return isSystemType(type) ? PREFIX + type : type
}

/** As rules and templates say it: `sbom` and `system:sbom` are both `sbom`. */
export function toWrittenType(type: string): string {
  const word = type.startsWith(PREFIX) ? type.slice(PREFIX.length) : type
  return isSystemType(word) ? word : type
}
