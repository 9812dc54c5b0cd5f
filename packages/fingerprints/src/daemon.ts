// The digest of an image that Docker or Podman has on this machine, from the Engine API. The caller provides
// the connection.
import { parseObject, toArray, toObject, toText } from './json.ts'
import { type ImageDigests, isDigest } from './manifest.ts'
import { FingerprintProblem } from './problem.ts'
import { type ImageReference, parseReference } from './reference.ts'

const IMAGE_ID = /^(sha256:)?[0-9a-f]{12,64}$/

/** A GET to the Engine API, such as to /images/alpine/json. Rejects if the engine cannot be reached. */
export type EngineRequest = (path: string) => Promise<{ status: number; body: string }>

export interface DaemonOptions {
  request: EngineRequest
}

export interface DaemonImage extends Omit<ImageDigests, 'media_type'> {
  /** Null if the engine does not provide it. */
  media_type: string | null
  /** The id of the image on this machine: the digest of its config or, in newer engines, of its manifest. */
  image_id: string
}

export async function readDaemonImage(reference: string, { request }: DaemonOptions): Promise<DaemonImage> {
  const image = IMAGE_ID.test(reference) ? undefined : parseReference(reference)
  const { status, body } = await askEngine(request, reference)
  if (status === 404) {
    const message = `The engine has no image ${reference}. Build or pull it, or ask the registry instead.`
    throw new FingerprintProblem('not_found', message)
  }
  const answer = status === 200 ? parseObject(body) : undefined
  if (!answer) {
    const message = `The engine answers the question for ${reference} with status ${status}, and not with an image.`
    throw new FingerprintProblem(status >= 500 ? 'unreachable' : 'invalid', message)
  }
  const image_id = toText(answer.Id) ?? ''
  const digest = pickDigest(reference, image, toArray(answer.RepoDigests), image_id)
  const descriptor = toObject(answer.Descriptor)
  const media_type = descriptor?.digest === digest ? (toText(descriptor.mediaType) ?? null) : null
  return { digest, media_type, platforms: [], image_id }
}

async function askEngine(
  request: EngineRequest,
  reference: string,
): Promise<{ status: number; body: string }> {
  try {
    const name = reference.split('/').map(encodeURIComponent).join('/')
    return await request(`/images/${name}/json`)
  } catch (cause) {
    const message = 'The engine of Docker or Podman cannot be reached. Start it, or check DOCKER_HOST.'
    throw new FingerprintProblem('unreachable', message, { cause })
  }
}

/** An image can be in several repositories. Only a digest from the requested repository counts. */
function pickDigest(
  reference: string,
  image: ImageReference | undefined,
  listed: readonly unknown[],
  image_id: string,
): string {
  const known = listed.flatMap(readRepoDigest)
  if (known.length === 0) throw explainNotPushed(reference, image_id)
  const ofRepository = known.filter(
    each => !image || (each.registry === image.registry && each.repository === image.repository),
  )
  const digests = [...new Set(ofRepository.map(each => each.digest))]
  if (image?.digest !== undefined && digests.includes(image.digest)) return image.digest
  const [only, ...others] = digests
  if (only !== undefined && others.length === 0 && image?.digest === undefined) return only
  const names = listed.filter(each => typeof each === 'string').join(', ')
  const why = only === undefined ? 'only under other names' : 'with several digests'
  const message = `The engine knows ${reference} ${why}: ${names}. Name the repository or the digest that you mean.`
  throw new FingerprintProblem(only === undefined ? 'not_pushed' : 'invalid', message)
}

function readRepoDigest(value: unknown): { registry: string; repository: string; digest: string }[] {
  // Untagged images have "<none>@<none>".
  if (typeof value !== 'string' || value.startsWith('<none>')) return []
  try {
    const { registry, repository, digest } = parseReference(value)
    return isDigest(digest) ? [{ registry, repository, digest }] : []
  } catch {
    // Not a valid name.
    return []
  }
}

function explainNotPushed(reference: string, image_id: string): FingerprintProblem {
  const message =
    `The image ${reference} was built on this machine and not pushed, so it has no digest of a registry yet, only the ` +
    `image ID ${image_id}. Push it first, or build it with \`docker buildx build --push --metadata-file metadata.json\` ` +
    'and use --from-build-metadata metadata.json.'
  return new FingerprintProblem('not_pushed', message)
}
