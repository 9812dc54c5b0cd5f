// Anchors on an S3-compatible service, one object each: `<prefix>/log/<org_id>/<name>`.
import { type S3mini, S3ServiceError } from 's3mini'
import { ANCHORS, buildAnchorPath, parseAnchorPath } from './address.ts'
import type { AnchorStore } from './evidence.ts'
import { S3Refusal } from './s3-faults.ts'

const KEYS_PER_PAGE = 1000

export function makeS3Anchors(
  s3: S3mini,
  prefix: string,
  request: <T>(send: () => Promise<T>) => Promise<T>,
): AnchorStore {
  const locate = (org_id: string, name?: string) => prefix + buildAnchorPath(org_id, name)
  return {
    list: org_id =>
      request(async () => {
        const folder = locate(org_id)
        const found = new Map<string, string>()
        const all = { after: undefined, limit: Number.POSITIVE_INFINITY }
        for (const key of await listKeys(s3, folder, all)) {
          const text = await s3.getObject(key)
          if (text !== null) found.set(key.slice(folder.length), text)
        }
        return found
      }),
    listNames: (after, limit) =>
      request(async () => {
        const last = after && locate(after.org_id, after.name)
        const keys = await listKeys(s3, prefix + ANCHORS, { after: last, limit })
        return keys.flatMap(key => parseAnchorPath(key.slice(prefix.length)) ?? [])
      }),
    add: (org_id, name, text) =>
      request(async () => {
        // Two processes that write the same name at once write the same text, unless the log has forked.
        const there = await s3.getObject(locate(org_id, name))
        if (there !== null) return there
        await s3.putObject(locate(org_id, name), text)
        return text
      }),
    remove: (org_id, name) =>
      request(async () => {
        try {
          await s3.deleteObject(locate(org_id, name))
        } catch (error) {
          if (!(error instanceof S3ServiceError && error.status === 404)) throw error
        }
      }),
  }
}

async function listKeys(
  s3: S3mini,
  folder: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<string[]> {
  const start = after === undefined ? {} : { 'start-after': after }
  const keys: string[] = []
  let token: string | undefined
  do {
    const page = await s3.listObjectsPaged('/', folder, KEYS_PER_PAGE, token, start)
    // A missing bucket is not the same as one without anchors.
    if (!page) throw new S3Refusal('GET', 404, undefined, undefined)
    keys.push(...(page.objects ?? []).map(({ Key }) => Key))
    token = page.nextContinuationToken
  } while (token !== undefined && keys.length < limit)
  return keys.slice(0, limit)
}
