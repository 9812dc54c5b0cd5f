// The evidence store on a local disk: one file per content, `<root>/<org_id>/<aa>/<sha256>`, private to the service.
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { syncFolder } from '../lib/durable-files.ts'
import { buildPath, parsePath } from './address.ts'
import type { EvidenceStore, KeptEvidence } from './evidence.ts'
import { hasCode } from './file-errors.ts'
import { makeStagedEvidence } from './staged-evidence.ts'
import { openStaging, type StagedFile, type StagingOptions } from './staging.ts'
import { verifyContent } from './verified.ts'

/** So many folders are remembered as being on the disk. */
const MAX_KNOWN_FOLDERS = 10_000

export async function openDiskEvidence(options: StagingOptions): Promise<EvidenceStore> {
  const { root } = options
  const safe_folders = new Set<string>()
  const staging = await openStaging(options)
  return {
    stage: async (org_id, name, content) => {
      const staged = await staging.write(content)
      return makeStagedEvidence(name, staged, file => moveIntoPlace(root, safe_folders, org_id, file))
    },
    open: async (org_id, sha256) => openObject(join(root, buildPath({ org_id, sha256 })), sha256),
    list: () => listObjects(root),
    remove: async (org_id, sha256, kept_before) =>
      removeObject(join(root, buildPath({ org_id, sha256 })), kept_before),
  }
}

/**
 * Also when the object is there already: the rename mends a damaged one, and its new time of keeping holds the sweep
 * off until the row that names it is written. Readers of the old file keep it.
 */
async function moveIntoPlace(
  root: string,
  safe_folders: Set<string>,
  org_id: string,
  { path, sha256 }: StagedFile,
): Promise<void> {
  const target = join(root, buildPath({ org_id, sha256 }))
  const folder = dirname(target)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await rename(path, target)
  await syncFolder(folder)
  // A new folder is itself an entry that a power loss can take. That it was there does not mean that it is on the disk:
  // a request at the same moment may have made it.
  if (safe_folders.has(folder)) return
  await syncFolder(dirname(folder))
  await syncFolder(root)
  if (safe_folders.size >= MAX_KNOWN_FOLDERS) safe_folders.clear()
  safe_folders.add(folder)
}

async function openObject(
  path: string,
  sha256: string,
): Promise<{ bytes: number; content: Readable } | undefined> {
  try {
    const handle = await open(path, 'r')
    const { size } = await handle.stat()
    return { bytes: size, content: verifyContent(handle.createReadStream(), sha256) }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

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
    // Removed while the list was read.
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
