// Packs the spool into one file, to carry it to another machine: a tar archive of the entries. An import
// checks everything, because the file may come from anywhere.

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { extract, pack } from 'tar-stream'
import { failUsage } from '../program/problem.ts'
import { type Entry, isId, parseEntry } from './entry.ts'
import {
  beginEntry,
  commitEntry,
  copyPart,
  dropAside,
  getPartPath,
  listEntries,
  type SpoolFolder,
} from './folder.ts'

const REQUEST_FILE = 'request.json'
/** No part of an entry is larger. */
const LARGEST_BYTES = 128 * 1024 * 1024

export async function exportSpool(
  spool: SpoolFolder,
  entries: readonly Entry[],
  file: string,
): Promise<void> {
  const tar = pack()
  const temporary = `${file}.${process.pid}`
  const written = pipeline(tar, createWriteStream(temporary, { mode: 0o600, flags: 'wx', flush: true }))
  for (const entry of entries) {
    // The request comes first, so that an import can check the parts as they arrive.
    tar.entry({ name: `${entry.id}/${REQUEST_FILE}` }, JSON.stringify(entry))
    for (const part of entry.parts)
      tar.entry({ name: `${entry.id}/${part.file}` }, await readFile(getPartPath(spool.queue, entry, part)))
  }
  tar.finalize()
  await written
  await rename(temporary, file)
}

export async function importSpool(
  spool: SpoolFolder,
  file: string,
): Promise<{ added: number; known: number }> {
  const contents = await readArchive(file)
  const present = new Set((await listEntries(spool.queue)).entries.map(({ id }) => id))
  let added = 0
  let known = 0
  for (const { entry, parts } of contents) {
    if (present.has(entry.id)) {
      known += 1
      continue
    }
    await addEntry(spool, entry, parts)
    added += 1
  }
  return { added, known }
}

interface Content {
  entry: Entry
  parts: Map<string, Buffer>
}

async function readArchive(file: string): Promise<Content[]> {
  const contents = new Map<string, Content>()
  const tar = extract()
  const reading = pipeline(createReadStream(file), tar)
  try {
    for await (const item of tar) {
      const [id = '', name = ''] = item.header.name.split('/')
      if (!isId(id) || item.header.type !== 'file' || (item.header.size ?? 0) > LARGEST_BYTES)
        throw new Error(`it has an unexpected entry "${item.header.name.slice(0, 80)}"`)
      const bytes = await buffer(item)
      if (name === REQUEST_FILE) {
        const entry = parseEntry(bytes.toString('utf8'))
        if (entry.id !== id) throw new Error('an entry has the wrong name')
        contents.set(id, { entry, parts: new Map() })
      } else contents.get(id)?.parts.set(name, bytes)
    }
    await reading
  } catch (error) {
    failUsage(`${file} is not a file of spool export: ${error instanceof Error ? error.message : error}`)
  }
  for (const content of contents.values()) checkParts(content, file)
  return [...contents.values()]
}

function checkParts({ entry, parts }: Content, file: string): void {
  for (const { file: name, sha256 } of entry.parts) {
    const bytes = parts.get(name)
    if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== sha256)
      failUsage(`${file}: ${name} of ${entry.id} is missing or was changed`)
  }
}

async function addEntry(spool: SpoolFolder, entry: Entry, parts: Content['parts']): Promise<void> {
  const folder = await beginEntry(spool, entry.id)
  try {
    for (const [index, part] of entry.parts.entries()) {
      const bytes = parts.get(part.file) ?? Buffer.alloc(0)
      await copyPart(folder, index, { ...part, content: { bytes } })
    }
    await commitEntry(spool, entry)
  } catch (error) {
    await dropAside(spool, entry.id)
    throw error
  }
}
