// Every operation of the API, in the order of the OpenAPI document. An operation that is not listed here is not served.

import { deleteAllowListEntry } from './allowlists/delete.ts'
import { getAllowList } from './allowlists/get.ts'
import { listAllowLists } from './allowlists/list.ts'
import { putAllowListEntry } from './allowlists/put.ts'
import { getApprovedCommit } from './approvals/artifact-commit.ts'
import { createApproval } from './approvals/create.ts'
import { getApproval } from './approvals/get.ts'
import { listApprovals } from './approvals/list.ts'
import { listApprovalsOfArtifact } from './approvals/of-artifact.ts'
import { getBuildFrequency } from './artifacts/build-frequency.ts'
import { getArtifactsByCommit } from './artifacts/get-by-commit.ts'
import { getArtifactByFingerprint } from './artifacts/get-by-fingerprint.ts'
import { getLatestCommit } from './artifacts/latest-commit.ts'
import { listArtifacts } from './artifacts/list.ts'
import { reportArtifact } from './artifacts/report.ts'
import { assertArtifact } from './asserts/get.ts'
import { getAttention } from './attention/get.ts'
import { getEvidence } from './attestations/evidence.ts'
import { listAttestationsForCriteria } from './attestations/for-criteria.ts'
import { reportOperations } from './attestations/kinds.ts'
import { listAttestations } from './attestations/list.ts'
import { listAttestationsOfArtifact } from './attestations/of-artifact.ts'
import { listAttestationsOfFlow } from './attestations/of-flow.ts'
import { listAttestationsOfTrail } from './attestations/of-trail.ts'
import { AUDIT_OPERATIONS } from './audit-operations.ts'
import { badgeOperations } from './badges/operations.ts'
import { listBuilds } from './builds/list.ts'
import { getBuildStatistics } from './builds/statistics.ts'
import { archiveControl } from './controls/archive.ts'
import { getAssessmentResults } from './controls/assessment-results/get.ts'
import { exportControlCatalogue } from './controls/catalogue/export.ts'
import { importControlCatalogue } from './controls/catalogue/import.ts'
import { getControlCoverage } from './controls/coverage/get.ts'
import { getCoverageMatrix } from './controls/coverage/get-matrix.ts'
import { createControl } from './controls/create.ts'
import { getControlDecision } from './controls/decisions/get.ts'
import { listControlDecisions } from './controls/decisions/list.ts'
import { getControl } from './controls/get.ts'
import { listControls } from './controls/list.ts'
import { putControl } from './controls/put.ts'
import { controlStateOperations } from './controls/states/operations.ts'
import { listControlTags } from './controls/tags.ts'
import { unarchiveControl } from './controls/unarchive.ts'
import { getControlVersion } from './controls/versions/get.ts'
import { listControlVersions } from './controls/versions/list.ts'
import { getCoverageTrends } from './coverage-trends/get.ts'
import { customAttestationTypeOperations } from './custom-attestation-types/operations.ts'
import { listDecisions } from './decisions/list.ts'
import { withdrawDecision } from './decisions/withdraw.ts'
import { getDeploymentFrequency } from './deployments/frequency.ts'
import { listDeployments } from './deployments/list.ts'
import { getDeploymentsOfArtifact } from './deployments/of-artifact.ts'
import { listDeploymentsOfEnvironment } from './deployments/of-environment.ts'
import { getDeploymentStatistics, listDeploymentsOfRepo } from './deployments/of-repo.ts'
import { getDeploymentTrends } from './deployments/trends/get.ts'
import { listEnvironmentTimelines } from './environment-timelines/list.ts'
import { archiveEnvironment, unarchiveEnvironment } from './environments/archive.ts'
import { getAuditLog } from './environments/audit-log/get.ts'
import { getEnvironmentCompliance } from './environments/compliance/get.ts'
import { listEnvironmentEvents } from './environments/events/list.ts'
import { getEnvironment } from './environments/get.ts'
import { listLateReports } from './environments/late-reports/list.ts'
import { listEnvironments } from './environments/list.ts'
import { joinEnvironment } from './environments/members/join.ts'
import { patchEnvironment } from './environments/patch.ts'
import { attachPolicies } from './environments/policies/attach.ts'
import { detachPolicies } from './environments/policies/detach.ts'
import { listPolicyChanges } from './environments/policy-changes/list.ts'
import { putEnvironment } from './environments/put.ts'
import { renameEnvironment } from './environments/rename.ts'
import { environmentReports } from './environments/report.ts'
import { getEnvironmentTimeline } from './environments/timeline/get.ts'
import { evaluationOperations } from './evaluations/operations.ts'
import { archiveFlow, unarchiveFlow } from './flows/archive.ts'
import { getFlow } from './flows/get.ts'
import { listFlows } from './flows/list.ts'
import { putFlow } from './flows/put.ts'
import { putFlowTemplateFile } from './flows/put-template-file.ts'
import { renameFlow } from './flows/rename.ts'
import { acceptInvitation } from './invitations/accept.ts'
import { listInvitations } from './invitations/list.ts'
import { resendInvitation } from './invitations/resend.ts'
import { sendInvitation } from './invitations/send.ts'
import { withdrawInvitation } from './invitations/withdraw.ts'
import { exchangeToken } from './keyless/exchange.ts'
import { createPersonalApiKey } from './keys/create.ts'
import { getPersonalApiKey } from './keys/get.ts'
import { listPersonalApiKeys } from './keys/list.ts'
import { revokePersonalApiKey } from './keys/revoke.ts'
import { rotatePersonalApiKey } from './keys/rotate.ts'
import { streamEvents } from './live-events/stream.ts'
import { getLogCheckpoint } from './log/checkpoint.ts'
import { getLogConsistency } from './log/consistency.ts'
import { eraseLogBody, eraseLogPerson } from './log/erase.ts'
import { getLogKeys } from './log/keys.ts'
import { getLogLeaf } from './log/leaf.ts'
import { getLogBody, getLogLeaves } from './log/leaves.ts'
import { getLogProof } from './log/proof.ts'
import { getLogStatus } from './log/status.ts'
import { getLogTile } from './log/tiles.ts'
import { getLogWitnesses } from './log/witnesses.ts'
import { checkMailDomain } from './mail-domains/check.ts'
import { deleteMailDomain } from './mail-domains/delete.ts'
import { listMailDomains } from './mail-domains/list.ts'
import { putMailDomain } from './mail-domains/put.ts'
import { removeMember } from './members/delete.ts'
import { listMembers } from './members/list.ts'
import { putMember } from './members/put.ts'
import { getMembershipAuditLogCsv } from './membership-audit-log/csv.ts'
import { getMembershipAuditLog } from './membership-audit-log/get.ts'
import { getMembershipAuditLogJson } from './membership-audit-log/json.ts'
import { getMeta } from './meta/get.ts'
import { deleteNotificationConfig } from './notification-config/delete.ts'
import { getNotificationConfig } from './notification-config/get.ts'
import { putNotificationConfig } from './notification-config/put.ts'
import { testNotificationConfig } from './notification-config/send-test.ts'
import { getNotificationDelivery } from './notification-deliveries/get.ts'
import { listNotificationDeliveries } from './notification-deliveries/list.ts'
import { replayNotificationDelivery } from './notification-deliveries/replay.ts'
import { replayNotificationDeliveries } from './notification-deliveries/replay-range.ts'
import { createEnvironmentNotification, createFlowNotification } from './notifications/create.ts'
import { deleteEnvironmentNotification, deleteFlowNotification } from './notifications/delete.ts'
import { getEnvironmentNotification, getFlowNotification } from './notifications/get.ts'
import { listEnvironmentNotifications, listFlowNotifications } from './notifications/list.ts'
import { putEnvironmentNotification, putFlowNotification } from './notifications/put.ts'
import { testEnvironmentNotification, testFlowNotification } from './notifications/send-test.ts'
import type { Operation } from './operation.ts'
import { createOrg } from './orgs/create.ts'
import { deleteOrg } from './orgs/delete.ts'
import { exportOrg } from './orgs/export.ts'
import { getOrg } from './orgs/get.ts'
import { listOrgs } from './orgs/list.ts'
import { listOrgsWithStates } from './orgs/list-states.ts'
import { patchOrg } from './orgs/patch.ts'
import { putExperimentalFeatures } from './orgs/put-experimental-features.ts'
import { getOrgUsage } from './orgs/usage.ts'
import { archivePolicy, unarchivePolicy } from './policies/archive.ts'
import { getPolicy } from './policies/get.ts'
import { getPolicyVersion } from './policies/get-version.ts'
import { listPolicies } from './policies/list.ts'
import { putPolicy } from './policies/put.ts'
import { putNamedPolicy } from './policies/put-named.ts'
import { tryNewPolicy, tryPolicy } from './policies/try.ts'
import { repoOperations } from './repos/operations.ts'
import { runningOperations } from './running/operations.ts'
import { listAttestationTypes } from './schemas/attestation-types.ts'
import { getEnvironmentPolicySchema } from './schemas/environment-policy.ts'
import { getFlowTemplateSchema } from './schemas/flow-template.ts'
import { listSystemAttestationTypes } from './schemas/system-attestation-types.ts'
import { adoptScimToken } from './scim-tokens/adopt.ts'
import { createScimToken } from './scim-tokens/create.ts'
import { listScimTokens } from './scim-tokens/list.ts'
import { revokeScimToken } from './scim-tokens/revoke.ts'
import { searchBySha } from './search/by-sha.ts'
import { searchCommitTrails } from './search/commit-trails.ts'
import { SERVICE_ACCOUNT_OPERATIONS } from './service-accounts/operations.ts'
import { endSession } from './sessions/end.ts'
import { endOtherSessions } from './sessions/end-others.ts'
import { listSessions } from './sessions/list.ts'
import { listSnapshotArtifacts } from './snapshots/artifacts.ts'
import { diffSnapshots } from './snapshots/diff.ts'
import { getSnapshot } from './snapshots/get.ts'
import { listSnapshots } from './snapshots/list.ts'
import { patchTags } from './tags/patch.ts'
import { beginTrail } from './trails/begin.ts'
import { getTrail } from './trails/get.ts'
import { listTrails } from './trails/list.ts'
import { listTrailsOfFlow } from './trails/of-flow.ts'
import { createTrustRule } from './trust-rules/create.ts'
import { deleteTrustRule } from './trust-rules/delete.ts'
import { getTrustRule } from './trust-rules/get.ts'
import { listTrustRules } from './trust-rules/list.ts'
import { putTrustRule } from './trust-rules/put.ts'
import { getDefaultOrg } from './users/get-default-org.ts'
import { getProfile } from './users/get-profile.ts'
import { setDefaultOrg } from './users/set-default-org.ts'
import { setDisplayName } from './users/set-display-name.ts'
import { setEmail } from './users/set-email.ts'
import { setTimeZone } from './users/set-time-zone.ts'

export const operations: readonly Operation[] = [
  putFlow,
  putFlowTemplateFile,
  listFlows,
  getFlow,
  archiveFlow,
  unarchiveFlow,
  renameFlow,
  getFlowTemplateSchema,
  beginTrail,
  listTrails,
  listTrailsOfFlow,
  getTrail,
  putEnvironment,
  listEnvironments,
  getEnvironment,
  getEnvironmentCompliance,
  getEnvironmentTimeline,
  listPolicyChanges,
  ...runningOperations,
  listEnvironmentTimelines,
  getCoverageTrends,
  getAttention,
  patchEnvironment,
  archiveEnvironment,
  unarchiveEnvironment,
  renameEnvironment,
  ...environmentReports,
  listSnapshots,
  getSnapshot,
  listSnapshotArtifacts,
  diffSnapshots,
  listEnvironmentEvents,
  listLateReports,
  getAuditLog,
  listDeploymentsOfEnvironment,
  getDeploymentFrequency,
  getDeploymentTrends,
  listDeployments,
  getDeploymentsOfArtifact,
  listDeploymentsOfRepo,
  getDeploymentStatistics,
  joinEnvironment,
  attachPolicies,
  detachPolicies,
  putPolicy,
  putNamedPolicy,
  listPolicies,
  getPolicy,
  getPolicyVersion,
  archivePolicy,
  unarchivePolicy,
  tryPolicy,
  tryNewPolicy,
  ...evaluationOperations,
  getEnvironmentPolicySchema,
  putAllowListEntry,
  listAllowLists,
  getAllowList,
  deleteAllowListEntry,
  listEnvironmentNotifications,
  createEnvironmentNotification,
  getEnvironmentNotification,
  putEnvironmentNotification,
  deleteEnvironmentNotification,
  testEnvironmentNotification,
  listFlowNotifications,
  createFlowNotification,
  getFlowNotification,
  putFlowNotification,
  deleteFlowNotification,
  testFlowNotification,
  putNotificationConfig,
  getNotificationConfig,
  testNotificationConfig,
  deleteNotificationConfig,
  reportArtifact,
  listArtifacts,
  getBuildFrequency,
  listBuilds,
  getBuildStatistics,
  getArtifactByFingerprint,
  getArtifactsByCommit,
  getLatestCommit,
  assertArtifact,
  ...reportOperations,
  listAttestationsOfTrail,
  listAttestationsOfArtifact,
  listAttestations,
  listAttestationsOfFlow,
  listAttestationsForCriteria,
  getEvidence,
  listAttestationTypes,
  listSystemAttestationTypes,
  ...customAttestationTypeOperations,
  createControl,
  listControls,
  getControl,
  putControl,
  archiveControl,
  unarchiveControl,
  listControlTags,
  listControlVersions,
  getControlVersion,
  listControlDecisions,
  getControlDecision,
  getControlCoverage,
  getCoverageMatrix,
  ...controlStateOperations,
  importControlCatalogue,
  exportControlCatalogue,
  getAssessmentResults,
  ...repoOperations,
  searchBySha,
  searchCommitTrails,
  patchTags,
  listTrustRules,
  createTrustRule,
  getTrustRule,
  putTrustRule,
  deleteTrustRule,
  exchangeToken,
  ...SERVICE_ACCOUNT_OPERATIONS,
  listPersonalApiKeys,
  createPersonalApiKey,
  getPersonalApiKey,
  revokePersonalApiKey,
  rotatePersonalApiKey,
  listDecisions,
  withdrawDecision,
  listMailDomains,
  putMailDomain,
  checkMailDomain,
  deleteMailDomain,
  ...badgeOperations,
  createScimToken,
  listScimTokens,
  adoptScimToken,
  revokeScimToken,
  getDefaultOrg,
  setDefaultOrg,
  setTimeZone,
  getProfile,
  setDisplayName,
  setEmail,
  listSessions,
  endSession,
  endOtherSessions,
  createOrg,
  listOrgs,
  listOrgsWithStates,
  getOrg,
  getOrgUsage,
  patchOrg,
  putExperimentalFeatures,
  exportOrg,
  deleteOrg,
  listMembers,
  putMember,
  removeMember,
  sendInvitation,
  listInvitations,
  resendInvitation,
  withdrawInvitation,
  acceptInvitation,
  ...AUDIT_OPERATIONS,
  getMembershipAuditLog,
  getMembershipAuditLogCsv,
  getMembershipAuditLogJson,
  listNotificationDeliveries,
  getNotificationDelivery,
  replayNotificationDelivery,
  replayNotificationDeliveries,
  streamEvents,
  getLogCheckpoint,
  getLogProof,
  getLogConsistency,
  getLogLeaves,
  getLogBody,
  eraseLogBody,
  eraseLogPerson,
  getLogKeys,
  getLogLeaf,
  getLogStatus,
  getLogWitnesses,
  getLogTile,
  createApproval,
  listApprovals,
  getApproval,
  getApprovedCommit,
  listApprovalsOfArtifact,
  getMeta,
]
