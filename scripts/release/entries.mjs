// The files of a release before they are packed: a list of `{ path, mode, body }`, `{ path, link }` and `{ path,
// folder: true }`. Everything is packed from such lists, sorted and with the same time, so that two builds give the
// same bytes.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import tar from 'tar-stream'

const PROGRAM_MODE = 0o755
const FILE_MODE = 0o644
const OWNER_MAY_RUN = 0o100
/** The gzip header byte for the operating system; 255 is unknown. */
const GZIP_SYSTEM = 9
/** Higher levels take three times as long for one percent. */
const LEVEL = 6

/** All files and links below a folder. Modes are 0755 and 0644, whatever the machine's umask. */
export function readFolder(folder, prefix = '') {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => !lstatSync(path).isDirectory())
    .map(path => readEntry(path, join(prefix, relative(folder, path))))
}

export function makeFile(path, body, mode = FILE_MODE) {
  return { path, mode, body: Buffer.from(body) }
}

export function moveInto(folder, entries) {
  return entries.map(entry => ({ ...entry, path: join(folder, entry.path) }))
}

/** A tar of the entries and their parent folders. */
export async function packTar(entries, { mtime, folders = true }) {
  const pack = tar.pack()
  const all = folders ? [...listFolders(entries), ...entries] : entries
  const sorted = all.sort((a, b) => (a.path < b.path ? -1 : 1))
  for (const entry of sorted) pack.entry(makeHeader(entry, mtime), entry.body ?? Buffer.alloc(0))
  pack.finalize()
  const chunks = []
  for await (const chunk of pack) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Without a time and a name in its header. */
export async function compress(bytes) {
  const packed = await promisify(gzip)(bytes, { level: LEVEL })
  packed[GZIP_SYSTEM] = 255
  return packed
}

/** The entries of a tar, which may be compressed. Removes the first `strip` folders from names. */
export async function readTar(bytes, { strip = 0 } = {}) {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  const entries = []
  const extract = tar.extract()
  extract.end(isCompressed ? gunzipSync(bytes) : bytes)
  for await (const stream of extract) {
    const { name, type, mode, linkname } = stream.header
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    const path = name.replace(/^\.\//, '').replace(/\/$/, '').split('/').slice(strip).join('/')
    if (path === '' || path === '.') continue
    if (type === 'directory') entries.push({ path, folder: true, mode })
    else if (type === 'symlink') entries.push({ path, link: linkname })
    else
      entries.push({
        path,
        mode: mode & OWNER_MAY_RUN ? PROGRAM_MODE : FILE_MODE,
        body: Buffer.concat(chunks),
      })
  }
  return entries
}

function readEntry(path, name) {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) return { path: name, link: readlinkSync(path) }
  return { path: name, mode: found.mode & OWNER_MAY_RUN ? PROGRAM_MODE : FILE_MODE, body: readFileSync(path) }
}

function listFolders(entries) {
  const known = new Set(entries.map(({ path }) => path))
  const added = []
  for (const { path } of entries) {
    for (let parent = dirname(path); parent !== '.' && !known.has(parent); parent = dirname(parent)) {
      known.add(parent)
      added.push({ path: parent, folder: true })
    }
  }
  return added
}

function makeHeader({ path, mode, body, link, folder, uid = 0, gid = 0 }, mtime) {
  const header = { name: path, mtime, uid, gid }
  if (link !== undefined) return { ...header, type: 'symlink', linkname: link, mode: 0o777 }
  if (folder) return { ...header, type: 'directory', mode: mode ?? PROGRAM_MODE }
  return { ...header, type: 'file', mode, size: body.length }
}
