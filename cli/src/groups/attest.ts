// The commands that record evidence.
import { attestArtifact, reportArtifact, showFingerprint } from '../commands/attest/artifact.ts'
import { attestJira } from '../commands/attest/jira.ts'
import { parsedAttestations } from '../commands/attest/parsed.ts'
import { pullRequestAttestations } from '../commands/attest/pull-requests.ts'
import { scannerAttestations } from '../commands/attest/scanners.ts'
import { simpleAttestations } from '../commands/attest/simple.ts'
import { attestSonar } from '../commands/attest/sonar.ts'
import { beginTrail } from '../commands/trails.ts'
import type { Command } from '../program/command.ts'

export const commands: readonly Command[] = [
  beginTrail,
  attestArtifact,
  reportArtifact,
  ...simpleAttestations,
  ...parsedAttestations,
  ...scannerAttestations,
  ...pullRequestAttestations,
  attestJira,
  attestSonar,
  showFingerprint,
]
