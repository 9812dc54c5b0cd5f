// Approvals as the outside sees them.
import { type Static, Type } from 'typebox'
import { COMMIT, ENVIRONMENT_NAME, FINGERPRINT } from '../../domain/names.ts'
import { FingerprintPrefix } from '../shared/fingerprints.ts'
import { Page, PerPage } from '../shared/page.ts'
import {
  Closed,
  EpochSeconds,
  FreeText,
  LooseAddress,
  Nullable,
  OneOf,
  toEpoch,
  UserData,
} from '../shared/wire.ts'
import type { ApprovalRow } from './store.ts'

const MAX_COMMITS = 1000
const MAX_APPROVALS = 100
const MAX_NAME = 255
const MAX_NUMBER = 2_147_483_647
/** Whoever approved is known outside, and no user of ours. */
const OUTSIDE = 'external://'

export const ApprovalPath = Closed('ApprovalPath', {
  org: Type.String(),
  flow_name: Type.String(),
  number: Type.Integer({
    minimum: -MAX_NUMBER,
    maximum: MAX_NUMBER,
    description: 'Counted from 1 in each flow; negative numbers count from the newest, which is -1',
    examples: [1],
  }),
})
export const ApprovedCommitPath = Closed('ApprovedCommitPath', {
  org: Type.String(),
  flow_name: Type.String(),
  env_name: Type.String(),
})
export const ArtifactApprovalsPath = Closed('ArtifactApprovalsPath', {
  org: Type.String(),
  flow_name: Type.String(),
  fingerprint: FingerprintPrefix,
})
export const ApprovalListQuery = Closed('ApprovalListQuery', { page: Page, per_page: PerPage })

const GivenApproval = Closed('GivenApproval', {
  state: OneOf(['APPROVED', 'PENDING', 'REJECTED'], { description: 'What the approver decided' }),
  comment: Type.Optional(Type.String({ maxLength: 65_536, description: 'What the approver said about it' })),
  approved_by: Type.String({
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'Who decided, by a name that is known outside of the service',
    examples: ['External'],
  }),
  approval_url: Type.Optional(
    LooseAddress(2048, {
      description: 'Where the approval was given; kept as it is sent, and some clients send no address',
      examples: ['https://ci.example.com/approvals/7'],
    }),
  ),
})

export const ApprovalPost = Closed('ApprovalPost', {
  artifact_fingerprint: Type.String({ pattern: FINGERPRINT }),
  environment: Type.Optional(
    Type.Unsafe<string>({
      anyOf: [
        { type: 'string', pattern: ENVIRONMENT_NAME, maxLength: MAX_NAME },
        { type: 'string', maxLength: 0 },
      ],
      description: 'The environment the artifact is approved for; none, or an empty text, for all of them',
      examples: ['production'],
    }),
  ),
  description: FreeText,
  src_commit_list: Type.Array(Type.String({ pattern: COMMIT }), {
    maxItems: MAX_COMMITS,
    description: 'The commits that the approval covers, newest first',
  }),
  oldest_commit: Type.Optional(
    Type.Unsafe<string>({
      anyOf: [
        { type: 'string', pattern: COMMIT },
        { type: 'string', maxLength: 0 },
      ],
      description: 'The commit after which the approved ones begin',
      examples: ['9d1c3e5f7a2b4c6d8e0f1a3b5c7d9e1f3a5b7c9d'],
    }),
  ),
  approvals: Type.Array(GivenApproval, {
    maxItems: MAX_APPROVALS,
    description: 'The approvals given so far; none asks for one',
  }),
  user_data: Type.Optional(UserData),
})
export type ApprovalPost = Static<typeof ApprovalPost>

const ApprovalGiven = Closed('ApprovalGiven', {
  state: OneOf(['APPROVED', 'PENDING', 'REJECTED'], { description: 'What the approver decided' }),
  approved_by: Type.String({
    description: 'Who decided: `external://` and the name that was reported',
    examples: ['external://External'],
  }),
  comment: Type.String({ description: 'What the approver said about it; empty when nothing' }),
  approval_url: Type.String({
    description: 'Where the approval was given, as it was reported; empty when it was not',
    examples: ['https://ci.example.com/approvals/7'],
  }),
  timestamp: EpochSeconds,
})
const ApprovedCommit = Closed('ApprovedCommit', {
  commit_sha: Type.String({
    description: 'A commit that the approval covers',
    examples: ['4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1'],
  }),
  artifact_fingerprints: Type.Array(Type.String(), {
    description: 'Fingerprints of the artifacts of the flow that were built from the commit',
    examples: [['b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c']],
  }),
})

export const Approval = Closed('Approval', {
  release_number: Type.Integer({ description: 'Counted from 1 in each flow' }),
  base_artifact: Type.String({
    description: 'Fingerprint of the artifact that is approved',
    examples: ['b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'],
  }),
  artifact_name: Type.String({ description: 'File or image name of the artifact' }),
  environment: Nullable(Type.String()),
  description: Type.String(),
  state: OneOf(['APPROVED', 'PENDING'], {
    description: 'APPROVED when there is an approval and each of them says so',
  }),
  approvals: Type.Array(ApprovalGiven, { description: 'The approvals given' }),
  src_commit_list: Type.Array(ApprovedCommit, { description: 'The commits that the approval covers' }),
  oldest_commit: Nullable(Type.String()),
  user_data: UserData,
  created_by: Type.String(),
  created_at: EpochSeconds,
  last_modified_at: EpochSeconds,
})
export type Approval = Static<typeof Approval>

export const ApprovalList = Type.Array(Approval, { title: 'ApprovalList' })
export const ApprovedCommitSha = Closed('ApprovedCommitSha', { commit_sha: Nullable(Type.String()) })

/** What is stored of the approvals of a request. */
export function buildApprovals(body: ApprovalPost, now: Date): Approval['approvals'] {
  return body.approvals.map(({ state, approved_by, comment, approval_url }) => ({
    state,
    approved_by: approved_by.startsWith(OUTSIDE) ? approved_by : OUTSIDE + approved_by,
    comment: comment ?? '',
    approval_url: approval_url ?? '',
    timestamp: toEpoch(now),
  }))
}

export function toWire(row: ApprovalRow): Approval {
  return {
    release_number: row.number,
    base_artifact: row.artifact_fingerprint,
    artifact_name: row.artifact_name,
    environment: row.environment_name,
    description: row.description,
    state: row.state === 'APPROVED' ? 'APPROVED' : 'PENDING',
    approvals: row.approvals,
    src_commit_list: row.src_commit_list,
    oldest_commit: row.oldest_commit,
    user_data: row.user_data as Approval['user_data'],
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    last_modified_at: toEpoch(row.last_modified_at),
  }
}
