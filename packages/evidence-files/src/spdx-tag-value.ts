// SPDX 2.1 to 2.3 in tag-value format: lines `Tag: value`, where a value in <text> may span several lines.
import type { EvidenceFile } from './evidence-file.ts'
import { EvidenceProblem } from './problem.ts'
import type { ReadSbom } from './sbom-document.ts'
import { buildSpdx, findDescribed, type SpdxFacts, type SpdxPackage } from './spdx.ts'
import { decodeUtf8, quote } from './text.ts'

const MIB = 1024 * 1024
const MAX_BYTES = 64 * MIB
const MAX_PACKAGES = 1_000_000
const MAX_CREATORS = 1_000

const OPEN_TEXT = '<text>'
const CLOSE_TEXT = '</text>'

interface Pair {
  tag: string
  value: string
  line: number
}

export function readSpdxTagValue(file: EvidenceFile): ReadSbom {
  if (file.content.length > MAX_BYTES) {
    throw new EvidenceProblem(file.name, undefined, `expected at most ${MAX_BYTES / MIB} MiB of SPDX.`)
  }
  const nowhere = { text: undefined, place: { file: file.name, place: 'line 1' } }
  const facts: SpdxFacts = {
    version: nowhere,
    id: nowhere,
    created: nowhere,
    creators: [],
    package_count: 0,
    described: new Set(),
    packages: [],
  }
  // The kind of element that tags such as SPDXID belong to: the document, a package, or a file or snippet,
  // which does not matter.
  let section: 'document' | 'other' | SpdxPackage = 'document'
  for (const pair of listPairs(file.name, decodeUtf8(file.name, file.content))) {
    if (pair.tag === 'PackageName') {
      section = addPackage(facts, pair)
    } else if (pair.tag === 'FileName' || pair.tag === 'SnippetSPDXID') section = 'other'
    else if (pair.tag === 'Relationship') addRelationship(facts, pair.value)
    else if (section === 'document') readDocumentPair(facts, pair)
    else if (section !== 'other') readPackagePair(file.name, section, pair)
  }
  return buildSpdx(facts)
}

function* listPairs(file: string, text: string): Generator<Pair> {
  let line = 0
  for (let start = 0; start < text.length; ) {
    line++
    const end = findLineEnd(text, start)
    const own = text.slice(start, end).trim()
    start = end + 1
    if (own === '' || own.startsWith('#')) continue
    const colon = own.indexOf(':')
    if (colon === -1) {
      const sentence = `expected a tag, a colon and a value, found ${quote(own)}.`
      throw new EvidenceProblem(file, `line ${line}`, sentence)
    }
    const pair = { tag: own.slice(0, colon).trim(), value: own.slice(colon + 1).trim(), line }
    if (pair.value.startsWith(OPEN_TEXT) && !pair.value.includes(CLOSE_TEXT)) {
      const close = text.indexOf(CLOSE_TEXT, start)
      if (close === -1)
        throw new EvidenceProblem(file, `line ${line}`, `expected ${CLOSE_TEXT} after ${OPEN_TEXT}.`)
      const next = findLineEnd(text, close)
      line += countLines(text, start, next)
      start = next + 1
      // Free text: comments and licenses, which no reader here needs.
      pair.value = ''
    }
    yield { ...pair, value: stripText(pair.value) }
  }
}

function findLineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function countLines(text: string, from: number, to: number): number {
  let lines = 1
  for (let i = text.indexOf('\n', from); i !== -1 && i < to; i = text.indexOf('\n', i + 1)) lines++
  return lines
}

const stripText = (value: string): string =>
  value.startsWith(OPEN_TEXT) ? value.slice(OPEN_TEXT.length, value.indexOf(CLOSE_TEXT)).trim() : value

function readDocumentPair(facts: SpdxFacts, { tag, value, line }: Pair): void {
  const placed = { text: value, place: { file: facts.version.place.file, place: `line ${line}` } }
  if (tag === 'SPDXVersion') facts.version = placed
  else if (tag === 'SPDXID') facts.id = placed
  else if (tag === 'Created') facts.created = placed
  else if (tag === 'Creator' && facts.creators.length < MAX_CREATORS) facts.creators.push(value)
}

function addPackage(facts: SpdxFacts, { value, line }: Pair): SpdxPackage {
  const { file } = facts.version.place
  if (++facts.package_count > MAX_PACKAGES) {
    throw new EvidenceProblem(file, `line ${line}`, `expected at most ${MAX_PACKAGES} packages.`)
  }
  const added = { id: undefined, name: value, version: undefined, purl: undefined, sha256: undefined }
  facts.packages.push(added)
  return added
}

function readPackagePair(file: string, section: SpdxPackage, { tag, value, line }: Pair): void {
  if (tag === 'SPDXID') section.id = value
  else if (tag === 'PackageVersion') section.version = value
  else if (tag === 'PackageChecksum') {
    const text = /^SHA256:\s*(.*)$/.exec(value)?.[1]
    if (text !== undefined) section.sha256 ??= { text, place: { file, place: `line ${line}` } }
  } else if (tag === 'ExternalRef') {
    section.purl ??= /^\S+\s+purl\s+(\S+)$/.exec(value)?.[1]
  }
}

function addRelationship({ described }: SpdxFacts, value: string): void {
  const [from = '', type = '', to = ''] = value.split(/\s+/, 3)
  const id = findDescribed(from, type, to)
  if (id !== undefined) described.add(id)
}
