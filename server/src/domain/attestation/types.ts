// Attestation types that the service defines in addition to the built-in ones. Rules and templates name them without
// the prefix; they are stored with it, and both forms are accepted.

export const SYSTEM_TYPES = ['decision', 'sbom'] as const
export type SystemType = (typeof SYSTEM_TYPES)[number]

const PREFIX = 'system:'

const isSystemType = (word: string): word is SystemType => (SYSTEM_TYPES as readonly string[]).includes(word)

/** The stored form: `sbom` and `system:sbom` both become `system:sbom`. */
export function toStoredType(type: string): string {
  return isSystemType(type) ? PREFIX + type : type
}

/** The form in rules and templates: `sbom` and `system:sbom` both become `sbom`. */
export function toWrittenType(type: string): string {
  const word = type.startsWith(PREFIX) ? type.slice(PREFIX.length) : type
  return isSystemType(word) ? word : type
}
