// All commands of the client.
import { attestArtifact, reportArtifact, showFingerprint } from './commands/attest/artifact.ts'
import { parsedAttestations } from './commands/attest/parsed.ts'
import { scannerAttestations } from './commands/attest/scanners.ts'
import { simpleAttestations } from './commands/attest/simple.ts'
import { flowCommands } from './commands/flows.ts'
import { snapshotDocker } from './commands/snapshot/docker.ts'
import { snapshotKubernetes } from './commands/snapshot/kubernetes.ts'
import { pathSnapshots } from './commands/snapshot/paths.ts'
import { spoolCommands } from './commands/spool.ts'
import { beginTrail } from './commands/trails.ts'
import { watchCommands } from './commands/watch.ts'
import type { Command } from './program/command.ts'

export const commands: readonly Command[] = [
  ...flowCommands,
  beginTrail,
  attestArtifact,
  reportArtifact,
  ...simpleAttestations,
  ...parsedAttestations,
  ...scannerAttestations,
  ...pathSnapshots,
  snapshotDocker,
  snapshotKubernetes,
  ...watchCommands,
  showFingerprint,
  ...spoolCommands,
]
