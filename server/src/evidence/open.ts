// Opens the evidence store from the settings: the data directory, another folder, or an S3-compatible bucket.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Egress } from '@waybill/egress'
import { parseUrl } from '../lib/url.ts'
import { openDiskEvidence } from './disk.ts'
import { EvidenceProblem, type EvidenceStore } from './evidence.ts'
import { openS3Evidence, type S3Location } from './s3.ts'

const DEFAULT_REGION = 'us-east-1'

export interface EvidenceSettings {
  evidence_url: string | undefined
  data_dir: string
  s3_credentials: { access_key_id: string | undefined; secret_access_key: string | undefined }
}

/** `newName` creates unguessable names for staged files. */
export async function openEvidence(
  settings: EvidenceSettings,
  newName: () => string,
  now: Date,
  egress: Pick<Egress, 'fetch'>,
): Promise<EvidenceStore> {
  const local = join(settings.data_dir, 'evidence')
  const url = settings.evidence_url === undefined ? undefined : new URL(settings.evidence_url)
  try {
    if (url?.protocol === 's3:') {
      const location = parseS3Location(url, settings.s3_credentials)
      return await openS3Evidence(location, { root: local, newName, now }, egress)
    }
    return await openDiskEvidence({ root: url ? parseFolder(url) : local, newName, now })
  } catch (error) {
    if (!isFileError(error)) throw error
    throw new EvidenceProblem(`The evidence folder cannot be used: ${error.message}`, { cause: error })
  }
}

function parseFolder(url: URL): string {
  try {
    return fileURLToPath(url)
  } catch {
    throw new EvidenceProblem(
      'WAYBILL_EVIDENCE_URL must be a folder on this machine, such as file:///srv/evidence',
    )
  }
}

/** The endpoint of an `s3://` store; undefined for a folder. */
export function findEndpoint(url: URL): string | undefined {
  if (url.protocol !== 's3:') return undefined
  return url.searchParams.get('endpoint') || `https://s3.${getRegion(url)}.amazonaws.com`
}

function getRegion(url: URL): string {
  return url.searchParams.get('region') || DEFAULT_REGION
}

/** Error messages never contain the URL, because it may contain a secret. */
export function parseS3Location(
  url: URL,
  credentials: EvidenceSettings['s3_credentials'],
  setting = 'WAYBILL_EVIDENCE_URL',
): S3Location {
  const region = getRegion(url)
  const endpoint = findEndpoint(url) ?? ''
  if (!/^https?:$/.test(parseUrl(endpoint)?.protocol ?? '')) {
    throw new EvidenceProblem(`The endpoint in ${setting} must be an http or https URL`)
  }
  if (url.hostname === '') throw new EvidenceProblem(`${setting} must contain a bucket, such as s3://bucket`)
  const access_key_id = decodeURIComponent(url.username) || credentials.access_key_id
  const secret_access_key = decodeURIComponent(url.password) || credentials.secret_access_key
  if (!access_key_id || !secret_access_key) {
    throw new EvidenceProblem(`An s3:// URL in ${setting} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`)
  }
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    region,
    bucket: url.hostname,
    prefix: decodeURIComponent(url.pathname).replaceAll(/^\/+|\/+$/g, ''),
    access_key_id,
    secret_access_key,
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall !== undefined
}
