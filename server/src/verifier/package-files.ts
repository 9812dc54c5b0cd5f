// The files of an audit package: read from the archive, hashed, and compared with the manifest.
import { createHash } from 'node:crypto'
import { RECORD_FILES } from '../domain/audit-package/record-files.ts'
import { MANIFEST, SEAL_FILES, SEAL_FOLDER } from '../domain/audit-package/seal.ts'
import { type ArchiveEntry, ArchiveProblem, readArchive } from './archive.ts'
import type { Findings } from './findings.ts'
import { Unreadable } from './log-files.ts'

const MANIFEST_LINE = /^([0-9a-f]{64}) {2}(.+)$/
/** All others are only hashed. */
const KEPT_FOLDERS = ['log/', 'parts/', 'artifacts/', 'attestations/', SEAL_FOLDER]
const KEPT_FILES = [MANIFEST, 'events.json', ...RECORD_FILES]
const MAX_KEPT_FILE_BYTES = 128 * 1024 * 1024
const MAX_KEPT_BYTES = 512 * 1024 * 1024

export interface PackageFiles {
  /** SHA-256 in hexadecimal, by name. */
  hashes: Map<string, string>
  /** The texts of the files that are examined. */
  kept: Map<string, string>
}

export async function readPackageFiles(
  source: NodeJS.ReadableStream,
  findings: Findings,
): Promise<PackageFiles> {
  const files: PackageFiles = { hashes: new Map(), kept: new Map() }
  let left = MAX_KEPT_BYTES
  try {
    for await (const entry of readArchive(source)) {
      const { name, bytes } = entry
      const isKept = KEPT_FILES.includes(name) || KEPT_FOLDERS.some(folder => name.startsWith(folder))
      if (isKept) left -= bytes
      if (isKept && (bytes > MAX_KEPT_FILE_BYTES || left < 0))
        throw new Unreadable('The records in the package are too large to verify')
      const { sha256, text } = await readEntry(entry, isKept)
      files.hashes.set(name, sha256)
      if (isKept) files.kept.set(name, text)
    }
  } catch (error) {
    if (!(error instanceof ArchiveProblem)) {
      const reason = error instanceof Error ? error.message : error
      throw new Unreadable(`This is not a complete audit package: ${reason}`)
    }
    findings.add('V1', 'false', error.message)
  }
  return files
}

async function readEntry({ name, content }: ArchiveEntry, isKept: boolean) {
  const sum = createHash('sha256')
  const chunks: Buffer[] = []
  for await (const chunk of content) {
    sum.update(chunk)
    if (isKept) chunks.push(chunk)
  }
  return { sha256: sum.digest('hex'), text: decode(name, Buffer.concat(chunks)) }
}

function decode(name: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new ArchiveProblem(`${name} is not text`)
  }
}

/** No file may differ, be missing or be unlisted. Only the seal is not in the manifest, which it covers. */
export function checkManifest({ hashes, kept }: PackageFiles, findings: Findings): void {
  const refuse = (text: string) => findings.add('V1', 'false', text)
  const manifest = kept.get(MANIFEST)
  if (manifest === undefined) refuse('the package has no manifest')
  const unlisted: readonly string[] = [MANIFEST, ...Object.values(SEAL_FILES)]
  const listed = new Set<string>()
  for (const line of (manifest ?? '').split('\n').filter(each => each !== '')) {
    const [, sha256, name = ''] = MANIFEST_LINE.exec(line) ?? []
    if (sha256 === undefined || unlisted.includes(name))
      refuse(`the manifest has a line that is not a sum: ${line.slice(0, 100)}`)
    else if (listed.has(name)) refuse(`the manifest lists ${name} twice`)
    else if (!hashes.has(name)) refuse(`${name} is missing`)
    else if (hashes.get(name) !== sha256)
      refuse(`${name} differs from the manifest: the package was changed or damaged`)
    listed.add(name)
  }
  for (const name of hashes.keys())
    if (!unlisted.includes(name) && !listed.has(name)) refuse(`${name} is not in the manifest`)
}
