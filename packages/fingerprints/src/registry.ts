// The digests of an image in a registry, from the OCI distribution API. Always computes the digest from the
// manifest's bytes, and only compares it with the one that the registry states.
import { createHash } from 'node:crypto'
import {
  type ImageDigests,
  MANIFEST_BYTES,
  MANIFEST_TYPES,
  type PlatformManifest,
  parseManifest,
  showShort,
} from './manifest.ts'
import { FingerprintProblem } from './problem.ts'
import { formatReference, type ImageReference, parseReference } from './reference.ts'
import { answerChallenge, explainDenied, type FindCredentials, getScheme } from './registry-auth.ts'
import { type Fetch, type Network, type RegistryAnswer, sendRequest } from './registry-fetch.ts'

const STATED_DIGEST = /^(sha256|sha512):([0-9a-f]+)$/

export interface ResolveOptions {
  fetch: Fetch
  /** Undefined for anonymous requests. */
  auth: FindCredentials | undefined
  /** Such as linux/arm64: the index must contain it, and the result lists no other. */
  platform?: string
  /** Whether to use HTTP without TLS. If omitted, only for registries on this machine. */
  plain_http?: boolean
  signal?: AbortSignal
}

export interface ResolvedImage extends ImageDigests {
  /** The full name, with the defaults. */
  reference: string
}

export async function resolveImage(reference: string, options: ResolveOptions): Promise<ResolvedImage> {
  const image = parseReference(reference)
  const network: Network = { fetch: options.fetch, signal: options.signal }
  const answer = await requestManifest(network, image, options)
  const { digest, media_type, platforms } = parseManifest(
    answer.body,
    readMediaType(answer),
    `The manifest of ${formatReference(image)}`,
  )
  compareDigest(answer, digest)
  if (image.digest !== undefined && image.digest !== digest) throw makeMismatch(answer, digest, image.digest)
  const shown = formatReference(image)
  return {
    reference: shown,
    digest,
    media_type,
    platforms: pickPlatforms(platforms, options.platform, shown),
  }
}

async function requestManifest(
  network: Network,
  image: ImageReference,
  options: ResolveOptions,
): Promise<RegistryAnswer> {
  const scheme = getScheme(image.api_host, options.plain_http)
  const url = `${scheme}://${image.api_host}/v2/${image.repository}/manifests/${image.digest ?? image.tag}`
  const ask = (authorization: string | undefined) =>
    sendRequest(network, {
      url,
      accept: MANIFEST_TYPES.join(', '),
      authorization,
      limit_bytes: MANIFEST_BYTES,
    })
  const credentials = await options.auth?.(image)
  const known = credentials?.kind === 'registry_token' ? `Bearer ${credentials.token}` : undefined
  let answer = await ask(known)
  // Another host, after a redirect, may not ask for credentials.
  if (answer.status === 401 && known === undefined && answer.url.origin === new URL(url).origin) {
    const header = answer.headers.get('www-authenticate')
    answer = await ask(await answerChallenge(network, { image, url: answer.url, header, credentials }))
  }
  if (answer.status === 200) return answer
  if (answer.status === 401 || answer.status === 403)
    throw explainDenied({ image, url: answer.url, credentials })
  throw explainStatus(answer, image)
}

function explainStatus({ status, headers, url }: RegistryAnswer, image: ImageReference): FingerprintProblem {
  const shown = formatReference(image)
  if (status === 404) {
    const message = `${url.host} has no image ${shown}. Check the name, and that it was pushed.`
    return new FingerprintProblem('not_found', message)
  }
  if (status === 429) {
    const wait = headers.get('retry-after') ?? ''
    const retry = /^\d{1,6}$/.test(wait) ? { retry_after_s: Number(wait) } : {}
    const message = `${url.host} limits the number of requests (429). Try again later, or log in for a higher limit.`
    return new FingerprintProblem('unreachable', message, retry)
  }
  const message = `${url.host} answers the request for ${shown} with status ${status}.`
  return new FingerprintProblem(status >= 500 ? 'unreachable' : 'invalid', `${message} Try again later.`)
}

function readMediaType({ headers }: RegistryAnswer): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function compareDigest(answer: RegistryAnswer, digest: string): void {
  const stated = answer.headers.get('docker-content-digest')
  if (stated === null || stated === digest) return
  const [, algorithm, hex] = STATED_DIGEST.exec(stated) ?? []
  if (algorithm !== undefined && createHash(algorithm).update(answer.body).digest('hex') === hex) return
  throw makeMismatch(answer, digest, stated)
}

function makeMismatch({ url }: RegistryAnswer, computed: string, stated: string): FingerprintProblem {
  const message =
    `${url.host} sent a manifest with the digest ${computed}, but ${showShort(stated)} was stated or asked for. It was ` +
    'damaged on the way, or something between you and the registry changes it.'
  return new FingerprintProblem('mismatch', message)
}

function pickPlatforms(
  found: PlatformManifest[],
  wanted: string | undefined,
  shown: string,
): PlatformManifest[] {
  if (wanted === undefined) return found
  const matching = found.filter(({ platform }) => platform === wanted)
  if (matching.length > 0) return matching
  const known = found.map(({ platform }) => platform ?? 'one without a name').join(', ')
  const why =
    known === '' ? 'is one manifest without an index, so it lists no platforms' : `has the platforms ${known}`
  throw new FingerprintProblem(
    'not_found',
    `${shown} ${why}, not "${wanted}". Leave the platform out, or name one it has.`,
  )
}
