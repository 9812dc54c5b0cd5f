// The fingerprint of a folder given as a list of files, such as the objects of a bucket: the same that `dir`
// gives for these files on disk. A list has no empty folders, no links and no modes.
import { createHash } from 'node:crypto'
import { type Bytes, showBytes, toBytes } from './byte-paths.ts'
import { expandPattern, type Folders } from './expand-pattern.ts'
import { IGNORE_FILE, parseIgnoreFile } from './ignore-file.ts'
import { mapInOrder } from './in-order.ts'
import { FingerprintProblem } from './problem.ts'
import { FILES_AT_ONCE } from './tree.ts'

interface ListedFile {
  /** Relative to the folder, with slashes. Empty segments and single dots are ignored. */
  path: string
  /** The SHA-256 of its content; called only for files that are not excluded. */
  hash(): Promise<string>
}

export interface ListedFiles {
  files: readonly ListedFile[]
  /** The content of the listed file with that name, which contains patterns of paths to exclude. */
  readFile(path: string): Promise<Uint8Array>
}

/** A pattern whose characters have no special meaning. */
const ROOT = 'root' as Bytes
const MOST_NAMED = 10

type Tree = Map<Bytes, Tree | ListedFile>

export async function fingerprintListedFiles({ files, readFile }: ListedFiles): Promise<string> {
  const tree = buildTree(files)
  const excluded = await findExcluded(tree, readFile)
  const hash = createHash('sha256')
  for await (const hashes of mapInOrder(walk(ROOT, tree, excluded), FILES_AT_ONCE, hashEntry))
    hash.update(hashes)
  return hash.digest('hex')
}

/** Refuses paths that cannot exist together in a folder, and names them all at once. */
function buildTree(files: readonly ListedFile[]): Tree {
  const tree: Tree = new Map()
  const problems: string[] = []
  for (const file of files) {
    const problem = addFile(tree, file)
    if (problem !== undefined) problems.push(`${showBytes(toBytes(file.path))} ${problem}`)
  }
  if (problems.length === 0) return tree
  const named = problems.slice(0, MOST_NAMED).join('; ')
  const more = problems.length > MOST_NAMED ? `; and ${problems.length - MOST_NAMED} more` : ''
  throw new FingerprintProblem('invalid', `These files cannot be in one folder: ${named}${more}`)
}

/** Returns the problem with the path. */
function addFile(tree: Tree, file: ListedFile): string | undefined {
  const parts = file.path.split('/').filter(part => part !== '' && part !== '.')
  const name = parts.pop()
  if (name === undefined) return 'names no file'
  if ([...parts, name].includes('..')) return 'has a part ".."'
  let folder = tree
  for (const part of parts.map(toBytes)) {
    const next = folder.get(part) ?? new Map()
    if (!(next instanceof Map)) return 'is below a file'
    folder.set(part, next)
    folder = next
  }
  const existing = folder.get(toBytes(name))
  if (existing !== undefined) return existing instanceof Map ? 'is also a folder' : 'is there twice'
  folder.set(toBytes(name), file)
  return undefined
}

/** The patterns cannot exclude the file that contains them. */
async function findExcluded(tree: Tree, readFile: ListedFiles['readFile']): Promise<Set<Bytes>> {
  const excluded = new Set<Bytes>()
  const name = toBytes(IGNORE_FILE)
  const file = tree.get(name)
  if (file === undefined || file instanceof Map) return excluded
  const patterns = parseIgnoreFile(toBytes(await readFile(file.path)), name)
  const folders = makeFolders(tree)
  for (const pattern of patterns)
    for (const match of await expandPattern(ROOT, pattern, folders)) excluded.add(match)
  excluded.delete(`${ROOT}/${name}` as Bytes)
  return excluded
}

function makeFolders(tree: Tree): Folders {
  const find = (path: Bytes): Tree | ListedFile | undefined => {
    // As on disk, two slashes mean the same as one.
    const [root, ...parts] = path.split('/').filter(part => part !== '') as Bytes[]
    let found: Tree | ListedFile | undefined = root === ROOT ? tree : undefined
    for (const part of parts) found = found instanceof Map ? found.get(part) : undefined
    return found
  }
  const list = (path: Bytes) => {
    const found = find(path)
    return found instanceof Map ? [...found.keys()] : undefined
  }
  return {
    exists: async path => find(path) !== undefined,
    listNames: async path => list(path) ?? [],
    listBelow: async path => list(path),
  }
}

interface Entry {
  name: Bytes
  file: ListedFile | undefined
}

function* walk(path: Bytes, tree: Tree, excluded: ReadonlySet<Bytes>): Generator<Entry> {
  for (const name of [...tree.keys()].sort()) {
    const full = `${path}/${name}` as Bytes
    const found = tree.get(name)
    if (excluded.has(full) || found === undefined) continue
    if (found instanceof Map) {
      yield { name, file: undefined }
      yield* walk(full, found, excluded)
    } else yield { name, file: found }
  }
}

async function hashEntry({ name, file }: Entry): Promise<string> {
  const ofName = createHash('sha256').update(name, 'latin1').digest('hex')
  return file === undefined ? ofName : ofName + (await file.hash())
}
