// The built-in attestation types and their names. Rules and templates name system types without the prefix; they are
// stored with it, and both forms are accepted.
import { type AttestationType, SYSTEM_PREFIX } from './define-type.ts'
import { decision } from './types/decision.ts'
import { generic } from './types/generic.ts'
import { jira } from './types/jira.ts'
import { junit } from './types/junit.ts'
import { pullRequest } from './types/pull-request.ts'
import { sbom } from './types/sbom.ts'
import { snyk } from './types/snyk.ts'
import { sonar } from './types/sonar.ts'

/** Every built-in type, in the order of the API documentation. A new one goes last. */
export const ATTESTATION_TYPES: readonly AttestationType[] = [
  generic,
  junit,
  snyk,
  jira,
  sonar,
  pullRequest,
  decision,
  sbom,
]

export const SYSTEM_TYPES = ATTESTATION_TYPES.filter(({ is_system }) => is_system)

const BY_NAME = new Map(ATTESTATION_TYPES.map(type => [type.name, type]))

export const findType = (name: string): AttestationType | undefined => BY_NAME.get(name)

/** The stored form: `sbom` and `system:sbom` both become `system:sbom`. */
export function toStoredType(type: string): string {
  return BY_NAME.get(type)?.stored_name ?? type
}

/** The form in rules and templates: `sbom` and `system:sbom` both become `sbom`. */
export function toWrittenType(type: string): string {
  const word = type.startsWith(SYSTEM_PREFIX) ? type.slice(SYSTEM_PREFIX.length) : type
  return BY_NAME.get(word)?.is_system ? word : type
}
