// Which artifact a command is about: a fingerprint, or a file whose fingerprint is computed.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Context } from '../program/context.ts'
import { list, text } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'

export const ARTIFACT_FLAGS = {
  fingerprint: text('the SHA-256 of the artifact', { short: 'F', placeholder: '<sha256>' }),
  'artifact-type': text('compute the fingerprint of the argument, which is of this kind', {
    short: 't',
    choices: ['file', 'dir', 'oci', 'docker'],
  }),
  exclude: list('files to leave out of the fingerprint of a folder', {
    short: 'x',
    placeholder: '<patterns>',
  }),
} as const

interface Chosen {
  path: string | undefined
  fingerprint: string | undefined
  'artifact-type': string | undefined
}

export async function findFingerprint(chosen: Chosen, { system }: Context): Promise<string> {
  const { path, fingerprint, 'artifact-type': kind } = chosen
  if (fingerprint !== undefined) {
    if (kind !== undefined) failUsage('--fingerprint and --artifact-type exclude each other')
    return fingerprint
  }
  if (path === undefined || kind === undefined)
    failUsage('No artifact was named', 'Give --fingerprint, or a file and --artifact-type file.')
  if (kind !== 'file')
    failUsage(`--artifact-type ${kind} is not supported here`, 'Compute it first and give --fingerprint.')
  return hashFile(resolve(system.cwd, path), path)
}

async function hashFile(path: string, shown: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(path), hash)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    failUsage(code === 'ENOENT' ? `${shown} does not exist` : `${shown} cannot be read: ${message}`)
  }
  return hash.digest('hex')
}
