// Reads mappings, lists and strings from a YAML syntax tree. A value of the wrong type is recorded as a problem with
// its position and reading continues, so that one response lists every error.

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  visit,
} from 'yaml'
import { type FileKind, formatInput, type Problem } from './problems.ts'

export interface Reader {
  kind: FileKind
  text: string
  lines: LineCounter
  aliases: Map<Alias, Node | null>
  problems: Problem[]
  entries: number
}

export interface Place {
  path: string
  // Null if the text has no value, as after `trail:`.
  node: Node | null
  offset: number
}

// An aliased list counts each time it is used; without this limit a few aliases could create millions of entries.
const MAX_ENTRIES = 5_000

// Anchors may be redefined, so an alias means the last one before it, in the order of this walk.
export function makeReader(
  kind: FileKind,
  text: string,
  document: Document.Parsed,
  lines: LineCounter,
): Reader {
  const reader: Reader = { kind, text, lines, aliases: new Map(), problems: [], entries: 0 }
  const anchored = new Map<string, Node>()
  const buildFilePlace = (node: Node): Place => ({ path: kind.root, node, offset: node.range?.[0] ?? 0 })
  visit(document, {
    Alias: (_, alias) => {
      const target = anchored.get(alias.source)
      if (target) reader.aliases.set(alias, target)
      else addProblem(reader, buildFilePlace(alias), 'Alias should follow the anchor it names')
    },
    Value: (_, node) => {
      if (node.anchor) anchored.set(node.anchor, node)
      if (node.tag)
        addProblem(reader, buildFilePlace(node), `YAML tag ${formatInput(node.tag)} is not permitted`)
    },
  })
  return reader
}

const UNSTORABLE = /\0|\p{Cs}/u

export function readMapping(
  reader: Reader,
  place: Place | undefined,
  keys: { required: string[]; optional: string[] },
): Map<string, Place> {
  const fields = new Map<string, Place>()
  if (!place) return fields
  if (!isMap(place.node)) {
    addProblem(reader, place, 'Input should be a valid dictionary')
    return fields
  }
  for (const { key, value } of place.node.items) {
    const keyPlace = resolvePlace(reader, place.path, key, place.offset)
    const name =
      isScalar(key) && typeof key.value === 'string' ? key.value : formatNode(reader, keyPlace.node)
    const field = resolvePlace(reader, `${place.path}.${formatInput(name)}`, value, keyPlace.offset)
    if (!keys.required.includes(name) && !keys.optional.includes(name)) {
      addProblem(reader, { ...field, offset: keyPlace.offset }, 'Extra inputs are not permitted')
    } else if (fields.has(name)) {
      addProblem(reader, { ...field, offset: keyPlace.offset }, 'Key should be given only once')
    } else {
      fields.set(name, field)
    }
  }
  for (const name of keys.required.filter(key => !fields.has(key))) {
    addProblem(reader, { path: `${place.path}.${name}`, node: null, offset: place.offset }, 'Field required')
  }
  return fields
}

export function readList<T>(reader: Reader, place: Place | undefined, readEntry: (entry: Place) => T): T[] {
  if (!place) return []
  if (!isSeq(place.node)) {
    addProblem(reader, place, 'Input should be a valid list')
    return []
  }
  const room = MAX_ENTRIES - reader.entries
  reader.entries += place.node.items.length
  if (place.node.items.length > room) {
    addProblem(reader, place, `${reader.kind.title} should have at most ${MAX_ENTRIES} list entries`)
    return []
  }
  return place.node.items.map((item, index) =>
    readEntry(resolvePlace(reader, `${place.path}[${index}]`, item, place.offset)),
  )
}

export function readString(reader: Reader, place: Place | undefined): string | undefined {
  if (!place) return undefined
  const value = getScalarValue(place)
  if (typeof value === 'string') {
    // An escape sequence can produce characters that the database cannot store.
    if (!UNSTORABLE.test(value)) return value
    addProblem(reader, place, 'Text should not contain NUL or half of a surrogate pair')
    return undefined
  }
  // Plain `yes`, `1` or `2001-12-14` are not strings in YAML.
  const hint = isScalar(place.node) && value !== null ? ', put quotes around it' : ''
  addProblem(reader, place, `Input should be a valid string${hint}`)
  return undefined
}

export function readBoolean(reader: Reader, place: Place | undefined): boolean | undefined {
  if (!place) return undefined
  const value = getScalarValue(place)
  if (typeof value === 'boolean') return value
  addProblem(reader, place, 'Input should be a valid boolean')
  return undefined
}

// Names must be unique within a list, so `used` (name → line) belongs to one list.
export function readUniqueName(
  reader: Reader,
  place: Place | undefined,
  pattern: string,
  used: Map<string, number>,
): string {
  const name = readString(reader, place)
  if (!place || name === undefined) return ''
  const earlier = used.get(name)
  if (!new RegExp(pattern, 'u').test(name)) {
    addProblem(reader, place, `String should match pattern '${pattern}'`)
  } else if (earlier !== undefined) {
    addProblem(reader, place, `Name should be used only once in its list, line ${earlier} already has it`)
  } else {
    used.set(name, reader.lines.linePos(place.offset).line)
  }
  return name
}

export function getScalarValue(place: Place): unknown {
  if (place.node === null) return null
  return isScalar(place.node) ? place.node.value : undefined
}

export function addProblem(reader: Reader, place: Place, sentence: string, branches?: string[]): void {
  const { line, col } = reader.lines.linePos(place.offset)
  const problem = { path: place.path, line, column: col, sentence, input: formatNode(reader, place.node) }
  reader.problems.push(branches ? { ...problem, branches } : problem)
}

function resolvePlace(reader: Reader, path: string, value: unknown, fallback: number): Place {
  const written = isNode(value) ? value : null
  const offset = written?.range?.[0] ?? fallback
  const node = isAlias(written) ? (reader.aliases.get(written) ?? null) : written
  return { path, node, offset }
}

// Collections are shown as written, because resolving their aliases may never end.
function formatNode(reader: Reader, node: Node | null): string {
  if (node === null || (isScalar(node) && node.value === null)) return 'None'
  if (isScalar(node)) return formatInput(typeof node.value === 'string' ? node.value : (node.source ?? ''))
  const [start, end] = node.range ?? [0, 0]
  return formatInput(reader.text.slice(start, end))
}
