// Catalogue YAML: text → controls, or every reason why not with its place; and controls → text that reads back as the
// same controls.
import { isMap, isScalar } from 'yaml'
import { CONTROL_IDENTIFIER } from '../names.ts'
import { errorsFrom } from '../yaml/problems.ts'
import {
  newReader,
  type Place,
  type Reader,
  readBoolean,
  readList,
  readMapping,
  readString,
  readUniqueName,
  refuse,
  scalarValue,
} from '../yaml/reader.ts'
import { readYaml } from '../yaml/yaml-source.ts'
import {
  CATALOGUE_FILE,
  type CatalogueControl,
  FIELD_PROBLEMS,
  LINK_PAIRS,
  type PairKind,
  type ParsedCatalogue,
  TAG_PAIRS,
} from './catalogue.ts'

export function parseYamlCatalogue(text: string): ParsedCatalogue {
  const source = readYaml(text, CATALOGUE_FILE)
  if (!source.ok) return { ok: false, errors: errorsFrom(CATALOGUE_FILE, source.problems) }
  const reader = newReader(CATALOGUE_FILE, text, source.document, source.lines)
  const place = { path: CATALOGUE_FILE.root, node: source.document.contents, offset: 0 }
  const controls = readCatalogue(reader, place)
  return reader.problems.length === 0
    ? { ok: true, catalogue: { controls, has_all_tags: true } }
    : { ok: false, errors: errorsFrom(CATALOGUE_FILE, reader.problems) }
}

/**
 * What the file leaves out would stay when it is read back, so tags and `archived` are always said. Written by hand,
 * because a library takes half a second for some thousand controls, and everybody else would wait.
 */
export function writeYamlCatalogue(controls: readonly CatalogueControl[]): string {
  const written = controls.map(
    ({ identifier, name, description, links, tags, archived }) =>
      `  - identifier: ${scalar(identifier, '')}\n    name: ${scalar(name, '      ')}\n` +
      (description === null ? '' : `    description: ${scalar(description, '      ')}\n`) +
      (Object.keys(links).length === 0 ? '' : `    links:${mapping(links)}`) +
      (tags === undefined ? '' : `    tags:${mapping(tags)}`) +
      (archived === undefined ? '' : `    archived: ${archived}\n`),
  )
  return `version: 1\ncontrols:${written.length === 0 ? ' []' : ''}\n${written.join('')}`
}

const PRINTABLE =
  '\\x20-\\x7e\\xa0-\\u2027\\u202a-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\u{10000}-\\u{10ffff}'
const NEEDS_ESCAPE = new RegExp(`[^${PRINTABLE}]`, 'gu')
// Begins with a letter and holds nothing that means something to YAML; a colon only inside of a word.
const PLAIN = /^[A-Za-z](?:[A-Za-z0-9 _.,/()+-]|:(?=[A-Za-z0-9/]))*(?<! )$/
const WORDS_OF_YAML = /^(?:y|n|yes|no|on|off|true|false|null)$/i
// Lines of text, none of which is empty but for its spaces, and the first of which shows how deep they are.
const LINES = new RegExp(`^(?! )(?:[${PRINTABLE}]*(?<! )\\n)+[${PRINTABLE}]*(?<! )$`, 'u')

function mapping(pairs: Record<string, string>): string {
  const entries = Object.entries(pairs)
  if (entries.length === 0) return ' {}\n'
  const lines = entries.map(([key, value]) => `      ${scalar(key, '')}: ${scalar(value, '')}\n`)
  return `\n${lines.join('')}`
}

/** Plain where that is plain, lines as lines where there is an `indent` for them, everything else in quotes. */
function scalar(text: string, indent: string): string {
  if (PLAIN.test(text) && !WORDS_OF_YAML.test(text)) return text
  const body = text.endsWith('\n') ? text.slice(0, -1) : text
  if (indent !== '' && body !== '' && !body.startsWith('\n') && !body.endsWith('\n') && LINES.test(text)) {
    const lines = body.split('\n').map(line => (line === '' ? '' : indent + line))
    return `${text === body ? '|-' : '|'}\n${lines.join('\n')}`
  }
  const inHex = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replace(NEEDS_ESCAPE, inHex)
}

function readCatalogue(reader: Reader, place: Place): CatalogueControl[] {
  const fields = readMapping(reader, place, { required: ['version', 'controls'], optional: [] })
  const version = fields.get('version')
  if (version && scalarValue(version) !== 1) refuse(reader, version, 'Input should be 1')
  const used = new Map<string, number>()
  return readList(reader, fields.get('controls'), control => readControl(reader, control, used))
}

function readControl(reader: Reader, place: Place, used: Map<string, number>): CatalogueControl {
  const fields = readMapping(reader, place, {
    required: ['identifier', 'name'],
    optional: ['description', 'links', 'tags', 'archived'],
  })
  const tags = unlessNull(fields.get('tags'))
  return {
    identifier: readIdentifier(reader, fields.get('identifier'), used),
    name: readText(reader, fields.get('name'), FIELD_PROBLEMS.name) ?? '',
    // An empty description is none, as everywhere.
    description: readText(reader, unlessNull(fields.get('description')), FIELD_PROBLEMS.description) || null,
    links: readPairs(reader, unlessNull(fields.get('links')), LINK_PAIRS),
    tags: tags && readPairs(reader, tags, TAG_PAIRS),
    archived: readBoolean(reader, unlessNull(fields.get('archived'))),
  }
}

function readIdentifier(reader: Reader, place: Place | undefined, used: Map<string, number>): string {
  const identifier = readUniqueName(reader, place, CONTROL_IDENTIFIER, used)
  const matches = new RegExp(CONTROL_IDENTIFIER, 'u').test(identifier)
  const problem = matches ? FIELD_PROBLEMS.identifier(identifier) : undefined
  if (place && problem) refuse(reader, place, problem)
  return identifier
}

function readText(
  reader: Reader,
  place: Place | undefined,
  problemOf: (text: string) => string | undefined,
): string | undefined {
  const text = readString(reader, place)
  const problem = text === undefined ? undefined : problemOf(text)
  if (place && problem) refuse(reader, place, problem)
  return text
}

function readPairs(reader: Reader, place: Place | undefined, kind: PairKind): Record<string, string> {
  if (!place) return {}
  const items = isMap(place.node) ? place.node.items : []
  if (items.length > kind.most) {
    refuse(reader, place, `Dictionary should have at most ${kind.most} entries`)
    return {}
  }
  const keys = items.flatMap(({ key }) => (isScalar(key) && typeof key.value === 'string' ? [key.value] : []))
  const fields = readMapping(reader, place, { required: [], optional: keys })
  const pairs = [...fields].map(([key, field]): [string, string] => {
    const problem = kind.keyProblem(key)
    if (problem) refuse(reader, field, `Key: ${problem}`)
    return [key, readText(reader, field, kind.valueProblem) ?? '']
  })
  return Object.fromEntries(pairs)
}

function unlessNull(place: Place | undefined): Place | undefined {
  return place && scalarValue(place) === null ? undefined : place
}
