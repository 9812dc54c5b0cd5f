// The common part of both folder methods: checking the root, and listing one folder in byte order.
import type { Dirent } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { type Bytes, showBytes, toBuffer, toBytes } from './byte-paths.ts'
import { nameSpecialKind } from './hash-file.ts'
import { explainFileError, FingerprintProblem } from './problem.ts'

/** How many files are read concurrently. */
export const FILES_AT_ONCE = 8

export interface FolderFingerprint {
  /** 64 hexadecimal digits. */
  fingerprint: string
  /** How many files, folders and links the fingerprint covers. */
  entries: number
  /** Sentences about parts that the fingerprint does not cover. */
  warnings: string[]
}

type EntryKind = 'file' | 'folder' | 'link'

export interface Listed {
  name: Bytes
  kind: EntryKind
}

/** Returns the root as a path to walk. */
export async function checkRoot(path: string | Uint8Array, follow_root: boolean): Promise<Bytes> {
  const root = toBytes(path)
  if (root === '') throw new FingerprintProblem('invalid', 'The path of the folder is empty. Name a folder.')
  try {
    const isLink = (await lstat(toBuffer(root))).isSymbolicLink()
    const stats = await stat(toBuffer(root))
    if (!stats.isDirectory()) {
      const kind = stats.isFile() ? 'a file' : nameSpecialKind(stats)
      throw new FingerprintProblem('invalid', `${showBytes(root)} is ${kind}, not a folder. Name a folder.`)
    }
    if (!isLink) return root
  } catch (error) {
    throw explainFileError(error, root)
  }
  if (follow_root) return `${root}/` as Bytes
  const message =
    `${showBytes(root)} is a symbolic link to a folder. Some tools do not follow it and give every such link the ` +
    'fingerprint of an empty folder, so that all releases look the same. Name the folder itself, or use ' +
    '--follow-root (follow_root) for the fingerprint of the folder that the link leads to.'
  throw new FingerprintProblem('invalid', message)
}

/**
 * The entries of a folder in byte order of their names. A pipe, socket or device is an error unless excluded.
 */
export async function listFolder(path: Bytes, isExcluded: (name: Bytes) => boolean): Promise<Listed[]> {
  try {
    const found = await readdir(toBuffer(path), { encoding: 'buffer', withFileTypes: true })
    return found
      .map(entry => ({ name: toBytes(entry.name), entry }))
      .filter(({ name }) => !isExcluded(name))
      .map(({ name, entry }) => ({ name, kind: getKind(entry, path, name) }))
      .sort(compareNames)
  } catch (error) {
    throw explainFileError(error, path)
  }
}

export function compareNames(one: { name: Bytes }, other: { name: Bytes }): number {
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0
}

export function warnIfEmpty(entries: number): string[] {
  return entries > 0
    ? []
    : ['The folder is empty, or everything in it is excluded: its fingerprint is that of no bytes at all.']
}

function getKind(entry: Dirent<Buffer>, folder: Bytes, name: Bytes): EntryKind {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  if (entry.isSymbolicLink()) return 'link'
  throw makeSpecialProblem(`${folder}/${name}` as Bytes, nameSpecialKind(entry))
}

export function makeSpecialProblem(path: Bytes, kind: string): FingerprintProblem {
  const message = `${showBytes(path)} is ${kind}, which has no fingerprint. Remove or exclude it.`
  return new FingerprintProblem('invalid', message)
}
