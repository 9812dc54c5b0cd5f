// All commands of the client.
import { allowCommands } from './commands/allow.ts'
import { apiKeyCommands } from './commands/api-keys.ts'
import { applyCommands } from './commands/apply.ts'
import { artifactCommands } from './commands/artifacts.ts'
import { assertCommands } from './commands/assert.ts'
import { attestArtifact, reportArtifact, showFingerprint } from './commands/attest/artifact.ts'
import { attestJira } from './commands/attest/jira.ts'
import { parsedAttestations } from './commands/attest/parsed.ts'
import { pullRequestAttestations } from './commands/attest/pull-requests.ts'
import { scannerAttestations } from './commands/attest/scanners.ts'
import { simpleAttestations } from './commands/attest/simple.ts'
import { attestSonar } from './commands/attest/sonar.ts'
import { attestationTypeCommands } from './commands/attestation-types.ts'
import { badgeCommands } from './commands/badges.ts'
import { ciCommands } from './commands/ci.ts'
import { defineCompletionCommands } from './commands/completion.ts'
import { defineConfigCommands } from './commands/config.ts'
import { controlCommands } from './commands/controls.ts'
import { decisionCommands } from './commands/decisions.ts'
import { doctorCommands } from './commands/doctor.ts'
import { environmentCommands } from './commands/environments.ts'
import { flowCommands } from './commands/flows.ts'
import { getAttestationCommands } from './commands/get-attestation.ts'
import { lateReportCommands } from './commands/late-reports.ts'
import { loginCommands } from './commands/login.ts'
import { mcpCommands } from './commands/mcp.ts'
import { organizationCommands } from './commands/organizations.ts'
import { policyCommands } from './commands/policies.ts'
import { readTrailCommands } from './commands/read-trails.ts'
import { repoCommands } from './commands/repos.ts'
import { searchCommands } from './commands/search.ts'
import { serviceAccountCommands } from './commands/service-accounts.ts'
import { snapshotDocker } from './commands/snapshot/docker.ts'
import { snapshotEcs } from './commands/snapshot/ecs.ts'
import { snapshotKubernetes } from './commands/snapshot/kubernetes.ts'
import { snapshotLambda } from './commands/snapshot/lambda.ts'
import { pathSnapshots } from './commands/snapshot/paths.ts'
import { snapshotS3 } from './commands/snapshot/s3.ts'
import { snapshotCommands } from './commands/snapshots.ts'
import { spoolCommands } from './commands/spool.ts'
import { statusCommands } from './commands/status.ts'
import { tagCommands } from './commands/tags.ts'
import { beginTrail } from './commands/trails.ts'
import { tryPolicyCommands } from './commands/try-policy.ts'
import { waitCommands } from './commands/wait.ts'
import { watchKubernetes } from './commands/watch/kubernetes.ts'
import { pathWatches, polledWatches } from './commands/watch/polled.ts'
import { whoamiCommands } from './commands/whoami.ts'
import { whyCommands } from './commands/why.ts'
import type { Command } from './program/command.ts'

export const commands: readonly Command[] = [
  ...flowCommands,
  beginTrail,
  ...readTrailCommands,
  attestArtifact,
  reportArtifact,
  ...artifactCommands,
  ...simpleAttestations,
  ...parsedAttestations,
  ...scannerAttestations,
  ...pullRequestAttestations,
  attestJira,
  attestSonar,
  ...getAttestationCommands,
  ...attestationTypeCommands,
  ...environmentCommands,
  ...pathSnapshots,
  snapshotDocker,
  snapshotKubernetes,
  snapshotEcs,
  snapshotLambda,
  snapshotS3,
  watchKubernetes,
  ...polledWatches,
  ...pathWatches,
  ...snapshotCommands,
  ...lateReportCommands,
  ...policyCommands,
  ...applyCommands,
  ...tryPolicyCommands,
  ...assertCommands,
  ...waitCommands,
  ...allowCommands,
  ...whyCommands,
  showFingerprint,
  ...searchCommands,
  ...repoCommands,
  ...tagCommands,
  ...badgeCommands,
  ...controlCommands,
  ...decisionCommands,
  ...serviceAccountCommands,
  ...apiKeyCommands,
  ...organizationCommands,
  ...spoolCommands,
  ...mcpCommands,
  ...statusCommands,
  ...ciCommands,
  ...loginCommands,
  ...whoamiCommands,
  ...doctorCommands,
  ...defineConfigCommands(() => commands),
  ...defineCompletionCommands(() => commands),
]
