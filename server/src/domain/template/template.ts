// A parsed flow template: the evidence expected on the trail itself, and the artifacts expected on it, each with its
// own evidence.
import { SYSTEM_TYPES } from '../attestation/types.ts'

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
export const FIXED_TYPES: readonly string[] = [
  'generic',
  'junit',
  'snyk',
  'pull_request',
  'jira',
  'sonar',
  ...SYSTEM_TYPES,
  ANY_TYPE,
]
export const CUSTOM_TYPE = '^custom:.+$'
