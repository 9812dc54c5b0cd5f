// Folders for tests, created from data such as the vectors.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Paths, contents and targets are UTF-8 or hexadecimal. */
export interface TreeEntry {
  path?: string
  path_hex?: string
  kind: string
  text?: string
  content_hex?: string
  target?: string
  target_hex?: string
  is_executable?: boolean
}

export interface Vector {
  title: string
  root?: string
  exclude: string[]
  entries: TreeEntry[]
  fingerprint: string | null
}

export function readVectors(name: string): Vector[] {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8')).cases
}

/** Creates a folder, and removes it when the test ends. */
export async function makeScratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-fingerprints-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Creates a folder with these entries. */
export async function makeTree(entries: readonly TreeEntry[], name = 'tree'): Promise<string> {
  const root = join(await makeScratch(), name)
  await fillTree(root, entries)
  return root
}

export async function fillTree(root: string, entries: readonly TreeEntry[]): Promise<void> {
  await mkdir(root, { recursive: true })
  for (const entry of entries) {
    const path = Buffer.concat([Buffer.from(`${root}/`), toBuffer(entry.path, entry.path_hex)])
    if (entry.kind === 'folder') await mkdir(path)
    else if (entry.kind === 'link') await symlink(toBuffer(entry.target, entry.target_hex), path)
    else {
      await writeFile(path, toBuffer(entry.text, entry.content_hex))
      await chmod(path, entry.is_executable ? 0o755 : 0o644)
    }
  }
}

export const file = (path: string, text = '', is_executable = false): TreeEntry => ({
  path,
  kind: 'file',
  text,
  is_executable,
})
export const folder = (path: string): TreeEntry => ({ path, kind: 'folder' })
export const link = (path: string, target: string): TreeEntry => ({ path, kind: 'link', target })

export function makePipe(path: string): void {
  const { status, error } = spawnSync('mkfifo', [path])
  if (status !== 0) throw new Error(`mkfifo ${path} failed: ${error?.message ?? status}`)
}

function toBuffer(text = '', hex: string | undefined): Buffer {
  return hex === undefined ? Buffer.from(text) : Buffer.from(hex, 'hex')
}
