// The list of types as tests expect it in messages.
import { ATTESTATION_TYPES } from './types.ts'

/** Existing clients compare messages with these types in this order. */
const KNOWN = "'generic', 'junit', 'snyk', 'pull_request', 'jira', 'sonar', 'decision', 'sbom'"

/** The types that existing clients know, and after them the newer ones. */
export function formatTypes(): string {
  const quoted = ATTESTATION_TYPES.map(({ name }) => `'${name}'`)
  return [KNOWN, ...quoted.filter(name => !KNOWN.includes(name))].join(', ')
}
