// Fingerprints an artifact that the command line names: a file, a folder, or an image in a registry, an OCI
// layout, an archive or a container engine.
import type { Context } from '../program/context.ts'
import { list, text, toggle } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import type { Fingerprinted, FingerprintValues } from './fingerprinted.ts'

export type { Fingerprinted, FingerprintValues } from './fingerprinted.ts'

export const ARTIFACT_TYPES = ['file', 'dir', 'dir-v2', 'oci', 'oci-layout', 'oci-archive', 'docker'] as const

export const FINGERPRINT_FLAGS = {
  'artifact-type': text('what the artifact is; without it, a file is a file and a folder is dir-v2', {
    short: 't',
    placeholder: '<type>',
    choices: ARTIFACT_TYPES,
    in_repository_file: true,
  }),
  exclude: list('paths to leave out of the fingerprint of a folder; patterns are allowed', {
    short: 'x',
    placeholder: '<pattern>',
    in_repository_file: true,
  }),
  'follow-root': toggle('follow a folder that is a symbolic link'),
  'from-build-metadata': text(
    'the file of docker buildx build --metadata-file, for an image that was just built',
    {
      placeholder: '<file>',
    },
  ),
  'registry-username': text('accepted for compatibility: log in with docker or podman', { is_hidden: true }),
  'registry-password': text('accepted for compatibility: log in with docker or podman', { is_hidden: true }),
} as const

/** Loaded only when needed, to keep the start of the program fast. */
export async function fingerprintArtifact(
  reference: string,
  values: FingerprintValues,
  context: Context,
): Promise<Fingerprinted> {
  const { computeFingerprint } = await import('./compute-fingerprint.ts')
  return computeFingerprint(reference, values, context)
}

const FINGERPRINT = /^[0-9a-f]{64}$/

export function checkFingerprint(value: string): string {
  if (!FINGERPRINT.test(value))
    failUsage(`--fingerprint: "${value}" is not a SHA-256 of 64 hexadecimal digits`)
  return value
}
