// The commands for an organization's resources: flows, environments, policies and the rest.
import { allowCommands } from '../commands/allow.ts'
import { apiKeyCommands } from '../commands/api-keys.ts'
import { applyCommands } from '../commands/apply.ts'
import { artifactCommands } from '../commands/artifacts.ts'
import { attestationTypeCommands } from '../commands/attestation-types.ts'
import { badgeCommands } from '../commands/badges.ts'
import { controlCommands } from '../commands/controls.ts'
import { decisionCommands } from '../commands/decisions.ts'
import { environmentCommands } from '../commands/environments.ts'
import { flowCommands } from '../commands/flows.ts'
import { getAttestationCommands } from '../commands/get-attestation.ts'
import { lateReportCommands } from '../commands/late-reports.ts'
import { organizationCommands } from '../commands/organizations.ts'
import { policyCommands } from '../commands/policies.ts'
import { readTrailCommands } from '../commands/read-trails.ts'
import { repoCommands } from '../commands/repos.ts'
import { searchCommands } from '../commands/search.ts'
import { serviceAccountCommands } from '../commands/service-accounts.ts'
import { snapshotCommands } from '../commands/snapshots.ts'
import { tagCommands } from '../commands/tags.ts'
import { tryPolicyCommands } from '../commands/try-policy.ts'
import type { Command } from '../program/command.ts'

export const commands: readonly Command[] = [
  ...flowCommands,
  ...readTrailCommands,
  ...artifactCommands,
  ...getAttestationCommands,
  ...attestationTypeCommands,
  ...environmentCommands,
  ...snapshotCommands,
  ...lateReportCommands,
  ...policyCommands,
  ...applyCommands,
  ...tryPolicyCommands,
  ...allowCommands,
  ...searchCommands,
  ...repoCommands,
  ...tagCommands,
  ...badgeCommands,
  ...controlCommands,
  ...decisionCommands,
  ...serviceAccountCommands,
  ...apiKeyCommands,
  ...organizationCommands,
]
