// Anchors on a local disk, one file each: `<root>/log/<org_id>/<name>`.
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolderDurably, writeOnceDurably } from '../lib/durable-files.ts'
import { ANCHORS, buildAnchorPath, parseAnchorPath } from './address.ts'
import type { AnchorName, AnchorStore } from './evidence.ts'
import { hasCode } from './file-errors.ts'

export function makeDiskAnchors(root: string): AnchorStore {
  const locate = (org_id: string, name?: string) => join(root, buildAnchorPath(org_id, name))
  return {
    list: async org_id => {
      const folder = locate(org_id)
      const names = await readNames(root, folder)
      const texts = await Promise.all(names.map(name => readText(join(folder, name))))
      return new Map(names.flatMap((name, i) => (texts[i] === undefined ? [] : [[name, texts[i]] as const])))
    },
    listNames: (after, limit) => listAllNames(root, after, limit),
    add: async (org_id, name, text) => {
      // A missing root means that the store is unavailable. It must not be created anew.
      await stat(root)
      await makeFolderDurably(locate(org_id))
      await writeOnceDurably(locate(org_id, name), text)
      return readFile(locate(org_id, name), 'utf8')
    },
    remove: async (org_id, name) => rm(locate(org_id, name), { force: true }),
  }
}

async function listAllNames(
  root: string,
  after: AnchorName | undefined,
  limit: number,
): Promise<AnchorName[]> {
  const found: AnchorName[] = []
  for (const org_id of await readNames(root, join(root, ANCHORS))) {
    if (found.length >= limit) break
    if (after && org_id < after.org_id) continue
    for (const name of await readNames(root, join(root, ANCHORS, org_id))) {
      const anchor = parseAnchorPath(`${ANCHORS}${org_id}/${name}`)
      if (anchor && !(org_id === after?.org_id && name <= after.name)) found.push(anchor)
    }
  }
  return found.slice(0, limit)
}

async function readNames(root: string, folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(name => !name.startsWith('.')).sort()
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    // An unavailable store is not the same as one without anchors.
    await stat(root)
    return []
  }
}

/** Undefined if another process has just replaced the anchor with a newer one. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
