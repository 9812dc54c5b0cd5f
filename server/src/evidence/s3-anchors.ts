// Anchors on an S3-compatible service, one object each: `<prefix>/log/<org_id>/<name>`.
import { type S3mini, S3ServiceError } from 's3mini'
import { buildAnchorPath } from './address.ts'
import type { AnchorStore } from './evidence.ts'

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
        for (const key of await listKeys(s3, folder)) {
          const text = await s3.getObject(key)
          if (text !== null) found.set(key.slice(folder.length), text)
        }
        return found
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

async function listKeys(s3: S3mini, folder: string): Promise<string[]> {
  const keys: string[] = []
  let token: string | undefined
  do {
    const page = await s3.listObjectsPaged('/', folder, KEYS_PER_PAGE, token)
    // A missing bucket is not the same as one without anchors.
    if (!page) throw new Error('the bucket of the evidence store does not exist')
    keys.push(...(page.objects ?? []).map(({ Key }) => Key))
    token = page.nextContinuationToken
  } while (token !== undefined)
  return keys
}
