// A parsed flow template: the evidence expected on the trail itself, and the artifacts expected on it, each with its
// own evidence.
import { ATTESTATION_TYPES } from '../attestation/types.ts'

export interface AttestationSlot {
  name: string
  type: string
}

export interface ArtifactSlot {
  name: string
  attestations: AttestationSlot[]
}

export interface Template {
  version: 1
  trail: { attestations: AttestationSlot[]; artifacts: ArtifactSlot[] }
}

export const ANY_TYPE = '*'

/** Clients compare the message that lists the types, so it must always begin with these. */
const FIRST_IN_MESSAGES = ['generic', 'junit', 'snyk', 'pull_request']
const names = ATTESTATION_TYPES.map(({ name }) => name)

export const FIXED_TYPES: readonly string[] = [
  ...FIRST_IN_MESSAGES,
  ...names.filter(name => !FIRST_IN_MESSAGES.includes(name)),
  ANY_TYPE,
]
export const CUSTOM_TYPE = '^custom:.+$'
