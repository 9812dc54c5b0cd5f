// The evidence store on a local disk: one private file per content, `<root>/<org_id>/<aa>/<sha256>`.
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { syncFolder } from '../lib/durable-files.ts'
import { buildPath, parsePath } from './address.ts'
import { makeDiskAnchors } from './disk-anchors.ts'
import type { EvidenceStore, KeptEvidence } from './evidence.ts'
import { hasCode, toDiskFault } from './file-errors.ts'
import { makeStagedEvidence } from './staged-evidence.ts'
import { openStaging, type StagedFile, type StagingOptions } from './staging.ts'
import { verifyContent } from './verified.ts'

/** Limits the list of folders known to be durable. */
const MAX_DURABLE_FOLDERS = 10_000

export async function openDiskEvidence(options: StagingOptions): Promise<EvidenceStore> {
  const { root } = options
  const durable_folders = new Set<string>()
  const staging = await openStaging(options)
  return {
    anchors: makeDiskAnchors(root),
    stage: async (org_id, name, content) => {
      const staged = await staging.write(content)
      return makeStagedEvidence(name, staged, file => moveIntoPlace(root, durable_folders, org_id, file))
    },
    probe: staging.probe,
    readSpace: async () => {
      const { bavail, blocks, bsize } = await statfs(root)
      return { free_bytes: bavail * bsize, total_bytes: blocks * bsize }
    },
    open: async (org_id, sha256) => {
      const found = await openObject(join(root, buildPath({ org_id, sha256 })), sha256)
      // Without its folder, the store is unavailable: that is not the same as missing evidence.
      if (!found) await stat(root)
      return found
    },
    list: () => listObjects(root),
    remove: async (org_id, sha256, kept_before) =>
      removeObject(join(root, buildPath({ org_id, sha256 })), kept_before),
  }
}

/**
 * Replaces an existing object too: this repairs a damaged one, and the new time keeps the sweep away until the row that
 * refers to it is written. Open readers keep the old file.
 */
async function moveIntoPlace(
  root: string,
  durable_folders: Set<string>,
  org_id: string,
  { path, sha256 }: StagedFile,
): Promise<void> {
  const target = join(root, buildPath({ org_id, sha256 }))
  const folder = dirname(target)
  await makeFolderBelow(dirname(folder))
  await makeFolderBelow(folder)
  await rename(path, target)
  await syncFolder(folder)
  // A power loss can also undo the creation of a folder. An existing folder need not be durable: a concurrent request
  // may just have created it.
  if (durable_folders.has(folder)) return
  await syncFolder(dirname(folder))
  await syncFolder(root)
  if (durable_folders.size >= MAX_DURABLE_FOLDERS) durable_folders.clear()
  durable_folders.add(folder)
}

/** Fails if the parent does not exist: without its root, the store is unavailable, and must not seem to be empty. */
async function makeFolderBelow(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

async function openObject(
  path: string,
  sha256: string,
): Promise<{ bytes: number; content: Readable } | undefined> {
  try {
    const handle = await open(path, 'r')
    const { size } = await handle.stat()
    return { bytes: size, content: verifyContent(handle.createReadStream(), sha256, explain) }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

const explain = (error: Error): Error => toDiskFault(error) ?? error

async function* listObjects(root: string): AsyncGenerator<KeptEvidence> {
  for (const org_id of await listNames(root)) {
    if (org_id === 'staging') continue
    for (const start of await listNames(join(root, org_id))) {
      for (const sha256 of await listNames(join(root, org_id, start))) {
        const found = await statObject(root, `${org_id}/${start}/${sha256}`)
        if (found) yield found
      }
    }
  }
}

async function statObject(root: string, path: string): Promise<KeptEvidence | undefined> {
  const address = parsePath(path)
  if (!address) return undefined
  try {
    const { size, mtime } = await stat(join(root, path))
    return { ...address, bytes: size, kept_at: mtime }
  } catch (error) {
    // Removed while the folder was being listed.
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    if (hasCode(error, 'ENOTDIR') || hasCode(error, 'ENOENT')) return []
    throw error
  }
}

async function removeObject(path: string, kept_before: Date | undefined): Promise<boolean> {
  if (kept_before) {
    try {
      if ((await stat(path)).mtime >= kept_before) return false
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return true
      throw error
    }
  }
  await rm(path, { force: true })
  return true
}
