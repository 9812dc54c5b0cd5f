// The digest of a newly built image, from the file that `docker buildx build --metadata-file` writes.
import { parseObject, toObject, toText, type Values } from './json.ts'
import { isDigest, showShort } from './manifest.ts'
import { readSmallText } from './oci-layout.ts'
import { FingerprintProblem } from './problem.ts'

const FILE_BYTES = 16 * 1024 * 1024
const DIGEST = 'containerimage.digest'

export interface BuiltImage {
  digest: string
  /** Null if the file does not contain it. */
  media_type: string | null
  /** The names that the image was built with. */
  names: string[]
}

export interface BuildMetadataOptions {
  /** For `docker buildx bake`, whose file has an object for each target. */
  target?: string
}

export async function readBuildMetadata(
  path: string,
  { target }: BuildMetadataOptions = {},
): Promise<BuiltImage> {
  const refuse = (why: string) => new FingerprintProblem('invalid', `${JSON.stringify(path)} ${why}`)
  const file = parseObject(await readSmallText(path, FILE_BYTES))
  if (!file) throw refuse('is not a JSON object. Name the file that --metadata-file wrote.')
  const built = pickTarget(file, target, refuse)
  const digest = built[DIGEST]
  if (digest === undefined) {
    throw refuse(
      `has no "${DIGEST}": the build exported no image. Build it with --push, or with --output type=oci.`,
    )
  }
  if (!isDigest(digest))
    throw refuse(`has the "${DIGEST}" ${showShort(digest)}, which is not a SHA-256 digest.`)
  if (digest === built['containerimage.config.digest']) {
    throw refuse(
      `has the digest of the image's config as "${DIGEST}": the image was only loaded into the engine, which has no ` +
        'manifest. Build it with --push, or with --output type=oci.',
    )
  }
  const media_type = toText(toObject(built['containerimage.descriptor'])?.mediaType) ?? null
  return { digest, media_type, names: (toText(built['image.name']) ?? '').split(',').filter(Boolean) }
}

function pickTarget(file: Values, target: string | undefined, refuse: (why: string) => Error): Values {
  const targets = Object.keys(file).filter(name => toObject(file[name])?.[DIGEST] !== undefined)
  if (target !== undefined) {
    const found = toObject(file[target])
    if (found) return found
    throw refuse(`has no target "${target}". It has: ${targets.join(', ') || 'none'}.`)
  }
  const [only, ...others] = targets
  if (DIGEST in file || only === undefined) return file
  if (others.length > 0) throw refuse(`has several targets. Pick one of: ${targets.join(', ')}.`)
  return toObject(file[only]) ?? file
}
