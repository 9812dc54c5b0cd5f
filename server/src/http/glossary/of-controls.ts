// Words that mean something of their own in controls, in what was decided about them, and in approvals.
import type { SchemaWords, Words } from './word.ts'

const CONTROL: Words = {
  identifier: ['What policies and decisions name the control by', 'SDLC-7'],
  name: ['Name of the control', 'Changes are reviewed'],
  description: ['What the control asks for', 'Every change is seen by a second pair of eyes'],
  links: [
    'Addresses of the text of the requirement, by label',
    { standard: 'https://standards.example.com/7' },
  ],
}
const DECISION: Words = {
  is_compliant: ['What was decided', true],
  attestation_name: ['Name of the attestation that carries the decision', 'change-review'],
  control_version: ['The version of the control at that time; null when there was no such control', 3],
}

export const CONTROL_WORDS: SchemaWords = {
  Control: {
    ...CONTROL,
    policies_referencing: ['Names of the policies that ask for a decision on it', ['production-rules']],
  },
  ControlPostInput: CONTROL,
  ControlPutInput: CONTROL,
  ControlVersion: { ...CONTROL, kind: ['What made the version', 'Edited'] },
  CoveredControl: {
    ...CONTROL,
    covered: ['Names of the environments where it is asked for', ['production']],
  },
  ControlPage: { controls: ['The controls of the page'] },
  ControlVersionPage: { versions: ['The versions of the page'] },
  ControlDecision: DECISION,
  ControlDecisionDetail: {
    ...DECISION,
    attestation_data: ['What the decision rests on, as it was reported', { is_compliant: true }],
    evidence_archive_fingerprint: [
      'SHA-256 of what was attached; null when nothing was',
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ],
  },
  ControlDecisionList: { decisions: ['The decisions of the page'] },
  ControlCoverage: { environments: ['The environments, each with what asks for a decision there'] },
  ControlCoverageMatrix: {
    environments: ['Names of the environments that a control can be asked for in', ['production']],
    controls: ['The controls, each with the environments that cover it'],
  },
  CoveredEnvironment: {
    name: ['Name of the environment', 'production'],
    policies: ['Names of the policies that ask for a decision', ['production-rules']],
    type: ['What kind of place it is', 'K8S'],
    covered: ['Whether a policy there asks for a decision on the control', true],
  },
  ControlPath: { identifier: ['Identifier of the control', 'SDLC-7'] },
  ControlDecisionPath: {
    identifier: ['Identifier of the control', 'SDLC-7'],
    decision_id: ['Id of the attestation that carries the decision', '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d'],
  },
  ControlVersionPath: { identifier: ['Identifier of the control', 'SDLC-7'] },
  Approval: {
    description: ['What is approved, in free text', 'The release of March'],
    environment: ['The environment it is approved for; null for all of them', 'production'],
    oldest_commit: ['The commit after which the approved ones begin; null when not told', null],
  },
  ApprovalPost: { description: ['What is approved, in free text', 'The release of March'] },
  ApprovedCommitSha: {
    commit_sha: [
      'Full SHA-1 of the commit; null when none is known',
      '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1',
    ],
  },
}
