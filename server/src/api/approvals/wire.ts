// Approvals as the API sends and accepts them.
import { type Static, Type } from 'typebox'
import { COMMIT, ENVIRONMENT_NAME } from '../../domain/names.ts'
import { EXAMPLE_COMMIT, EXAMPLE_FINGERPRINT } from '../shared/examples.ts'
import {
  CreatedAt,
  CreatedBy,
  EnvironmentName,
  FingerprintInput,
  FlowName,
  LastModifiedAt,
  OrgName,
} from '../shared/fields.ts'
import { FingerprintPrefix } from '../shared/fingerprints.ts'
import { Page, PerPage } from '../shared/page.ts'
import {
  about,
  Closed,
  Described,
  FreeText,
  LooseAddress,
  Naming,
  Nullable,
  OneOf,
  Time,
  toEpoch,
  UserData,
} from '../shared/wire.ts'
import type { ApprovalRow, GivenApproval } from './store.ts'

const MAX_COMMITS = 1000
const MAX_APPROVALS = 100
const MAX_NAME = 255
const MAX_NUMBER = 2_147_483_647
/** Approvers are people outside Waybill, not users of it. */
const EXTERNAL_PREFIX = 'external://'

export const ApprovalPath = Closed('ApprovalPath', {
  org: OrgName,
  flow_name: FlowName,
  number: Type.Integer({
    minimum: -MAX_NUMBER,
    maximum: MAX_NUMBER,
    ...about(
      'Number of the approval, starting at 1 in each flow. Negative numbers count from the newest, which is -1',
      1,
    ),
  }),
})
export const ApprovedCommitPath = Closed('ApprovedCommitPath', {
  org: OrgName,
  flow_name: FlowName,
  env_name: EnvironmentName,
})
export const ArtifactApprovalsPath = Closed('ArtifactApprovalsPath', {
  org: OrgName,
  flow_name: FlowName,
  fingerprint: FingerprintPrefix,
})
export const ApprovalListQuery = Closed('ApprovalListQuery', { page: Page, per_page: PerPage })

const GivenApprovalInput = Closed('GivenApproval', {
  state: OneOf(['APPROVED', 'PENDING', 'REJECTED'], { description: 'Decision of the approver' }),
  comment: Type.Optional(
    Type.String({
      maxLength: 65_536,
      ...about('The comment of the approver', 'Four eyes for production'),
    }),
  ),
  approved_by: Type.String({
    minLength: 1,
    maxLength: MAX_NAME,
    ...about('Name of the approver, who does not have to be a user', 'External'),
  }),
  approval_url: Type.Optional(
    LooseAddress(
      2048,
      about(
        'Where the approval was given. Stored as sent; it does not have to be a valid URL',
        'https://ci.example.com/approvals/7',
      ),
    ),
  ),
})

export const ApprovalPost = Closed('ApprovalPost', {
  artifact_fingerprint: FingerprintInput,
  environment: Type.Optional(
    Naming(
      'environment',
      Type.Unsafe<string>({
        anyOf: [
          { type: 'string', pattern: ENVIRONMENT_NAME, maxLength: MAX_NAME },
          { type: 'string', maxLength: 0 },
        ],
        ...about(
          'The environment that the artifact is approved for. Omitted or empty means all environments',
          'production',
        ),
      }),
    ),
  ),
  description: Described(
    FreeText,
    'Description of the approved change, in free text',
    'The release of March',
  ),
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
      ...about('The commit before the first approved one', '9d1c3e5f7a2b4c6d8e0f1a3b5c7d9e1f3a5b7c9d'),
    }),
  ),
  approvals: Type.Array(GivenApprovalInput, {
    maxItems: MAX_APPROVALS,
    description: 'The approvals given so far. An empty list requests an approval',
  }),
  user_data: Type.Optional(UserData),
})
export type ApprovalPost = Static<typeof ApprovalPost>

const ApprovalGiven = Closed('ApprovalGiven', {
  state: OneOf(['APPROVED', 'PENDING', 'REJECTED'], { description: 'Decision of the approver' }),
  approved_by: Type.String(
    about('The approver: `external://` followed by the reported name', 'external://External'),
  ),
  comment: Type.String(
    about('The comment of the approver; empty when there is none', 'Four eyes for production'),
  ),
  approval_url: Type.String(
    about(
      'Where the approval was given, as reported; empty when it was not reported',
      'https://ci.example.com/approvals/7',
    ),
  ),
  timestamp: Time('Time of the approval'),
})
const ApprovedCommit = Closed('ApprovedCommit', {
  commit_sha: Type.String(about('A commit that the approval covers', EXAMPLE_COMMIT)),
  artifact_fingerprints: Type.Array(
    Type.String(),
    about('Fingerprints of the artifacts in the flow that were built from the commit', [EXAMPLE_FINGERPRINT]),
  ),
})

export const Approval = Closed('Approval', {
  release_number: Type.Integer({ description: 'Number of the approval, starting at 1 in each flow' }),
  base_artifact: Type.String(about('Fingerprint of the approved artifact', EXAMPLE_FINGERPRINT)),
  artifact_name: Type.String(
    about('File or image name of the artifact', 'registry.example.com/backend:1.4.2'),
  ),
  environment: Nullable(
    Type.String(),
    about('The environment that it is approved for; null means all', 'production'),
  ),
  description: Type.String(about('Description of the approved change, in free text', 'The release of March')),
  state: OneOf(['APPROVED', 'PENDING'], {
    description: 'APPROVED when there is at least one approval and every approval is APPROVED',
  }),
  approvals: Type.Array(ApprovalGiven, { description: 'The approvals given' }),
  src_commit_list: Type.Array(ApprovedCommit, { description: 'The commits that the approval covers' }),
  oldest_commit: Nullable(
    Type.String(),
    about('The last commit before the approved ones; null if not reported', null),
  ),
  user_data: UserData,
  created_by: CreatedBy,
  created_at: CreatedAt,
  last_modified_at: LastModifiedAt,
})
export type Approval = Static<typeof Approval>

export const ApprovalList = Type.Array(Approval, { title: 'ApprovalList' })
export const ApprovedCommitSha = Closed('ApprovedCommitSha', {
  commit_sha: Nullable(Type.String(), about('Full SHA-1 of the commit; null if unknown', EXAMPLE_COMMIT)),
})

/** The approvals of a request as they are stored. */
export function buildApprovals(body: ApprovalPost, now: Date): GivenApproval[] {
  return body.approvals.map(({ state, approved_by, comment, approval_url }) => ({
    state,
    approved_by: approved_by.startsWith(EXTERNAL_PREFIX) ? approved_by : EXTERNAL_PREFIX + approved_by,
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
