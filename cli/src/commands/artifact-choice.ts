// Determines which artifact a command is about: a fingerprint, or something to fingerprint.
import {
  checkFingerprint,
  FINGERPRINT_FLAGS,
  type FingerprintValues,
  fingerprintArtifact,
} from '../artifacts/fingerprint.ts'
import type { Context } from '../program/context.ts'
import { text } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'

export const ARTIFACT_FLAGS = {
  ...FINGERPRINT_FLAGS,
  fingerprint: text('the SHA-256 of the artifact, if it is known', { short: 'F', placeholder: '<sha256>' }),
} as const

interface ChosenArtifact {
  fingerprint: string
  name: string | undefined
}

/** `reference` is the argument: a file, a folder or an image. */
export async function chooseArtifact(
  reference: string | undefined,
  values: FingerprintValues & { fingerprint: string | undefined },
  context: Context,
): Promise<ChosenArtifact> {
  const { fingerprint } = values
  if (fingerprint !== undefined) return { fingerprint: checkFingerprint(fingerprint), name: reference }
  if (reference === undefined)
    failUsage('No artifact was named', 'Give --fingerprint, or a file, a folder or an image.')
  return fingerprintArtifact(reference, values, context)
}
