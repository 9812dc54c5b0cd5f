// Computes the fingerprint of an artifact, and loads the packages that this needs.
import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import * as fingerprints from '@waybill/fingerprints'
import type { Context } from '../program/context.ts'
import type { Exit } from '../program/exit-codes.ts'
import { failUsage, Problem } from '../program/problem.ts'
import type { Fingerprinted, FingerprintValues } from './fingerprinted.ts'
import { makeEngineRequest, makeRegistryFetch } from './network.ts'

const EXITS: Record<fingerprints.Reason, Exit> = {
  invalid: 'usage',
  mismatch: 'usage',
  not_pushed: 'usage',
  not_found: 'usage',
  not_allowed: 'not_allowed',
  unreachable: 'unreachable',
}

export async function computeFingerprint(
  reference: string,
  values: FingerprintValues,
  context: Context,
): Promise<Fingerprinted> {
  try {
    const { warnings = [], ...found } = await compute(reference, values, context)
    for (const warning of warnings) context.output.say(`Warning: ${warning}`)
    return found
  } catch (error) {
    if (!(error instanceof fingerprints.FingerprintProblem)) throw error
    throw new Problem(error.message, { exit: EXITS[error.reason] })
  }
}

type Computed = Fingerprinted & { warnings?: readonly string[] }

async function compute(reference: string, values: FingerprintValues, context: Context): Promise<Computed> {
  const metadata = values['from-build-metadata']
  const path = resolve(context.system.cwd, reference)
  if (metadata !== undefined) {
    const { digest } = await fingerprints.readBuildMetadata(resolve(context.system.cwd, metadata))
    return describeImage(reference, { digest, platforms: [] })
  }
  const { exclude, 'follow-root': follow_root } = values
  const type = values['artifact-type'] ?? guessType(path, reference)
  if (exclude.length > 0 && !type.startsWith('dir'))
    failUsage(`--exclude is only for folders, not for ${type}`)
  switch (type) {
    case 'file':
      return { ...(await fingerprints.fingerprintFile(path)), ...describeFile(path, 'file') }
    case 'dir':
      return {
        ...(await fingerprints.fingerprintDirectory(path, { exclude, follow_root })),
        ...describeFile(path, 'dir'),
      }
    case 'dir-v2':
      return {
        ...(await fingerprints.fingerprintDirectoryV2(path, { exclude, follow_root })),
        ...describeFile(path, 'dir-v2'),
      }
    case 'oci-layout':
      return describeImage(basename(path), await fingerprints.readOciLayout(path))
    case 'oci-archive':
      return readArchive(path)
    case 'docker':
      return { ...describeImage(reference, await readFromEngine(reference, context)), method: 'docker' }
    default:
      return describeImage(reference, await readFromRegistry(reference, context))
  }
}

const describeFile = (path: string, method: 'file' | 'dir' | 'dir-v2') => ({
  method,
  name: basename(path),
  alternates: [],
})

interface Digests {
  digest: string
  platforms: readonly { digest: string }[]
  warnings?: readonly string[]
}

function describeImage(name: string, { digest, platforms, warnings = [] }: Digests): Computed {
  return {
    fingerprint: dropPrefix(digest),
    method: 'oci',
    name,
    alternates: platforms.map(each => dropPrefix(each.digest)),
    warnings,
  }
}

const dropPrefix = (digest: string): string => digest.replace(/^sha256:/, '')

async function readArchive(path: string): Promise<Computed> {
  const image = await fingerprints.readImageArchive(path)
  if (image.format === 'docker-archive')
    throw new fingerprints.FingerprintProblem('not_pushed', image.warnings.join(' '))
  return describeImage(basename(path), image)
}

function readFromRegistry(reference: string, { exchange, system, timeout_ms }: Context) {
  return fingerprints.resolveImage(reference, {
    fetch: makeRegistryFetch(exchange, timeout_ms),
    auth: fingerprints.findStoredCredentials({ env: system.env }),
  })
}

function readFromEngine(reference: string, { exchange, system, timeout_ms }: Context) {
  return fingerprints.readDaemonImage(reference, {
    request: makeEngineRequest(exchange, system.env, timeout_ms),
  })
}

function guessType(path: string, reference: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return 'dir-v2'
  if (found !== undefined) return 'file'
  failUsage(
    `${reference} is neither a file nor a folder`,
    'For an image, say where it is: --artifact-type oci (a registry) or docker (this machine).',
  )
}
