// Catalogue YAML: parses text into controls, or lists every error with its position; and writes controls as text that
// parses into the same controls.
import { isMap, isScalar } from 'yaml'
import { CONTROL_IDENTIFIER } from '../names.ts'
import { buildErrors } from '../yaml/problems.ts'
import {
  addProblem,
  getScalarValue,
  makeReader,
  type Place,
  type Reader,
  readBoolean,
  readList,
  readMapping,
  readString,
  readUniqueName,
} from '../yaml/reader.ts'
import { parseYaml } from '../yaml/yaml-source.ts'
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
  const source = parseYaml(text, CATALOGUE_FILE)
  if (!source.ok) return { ok: false, errors: buildErrors(CATALOGUE_FILE, source.problems) }
  const reader = makeReader(CATALOGUE_FILE, text, source.document, source.lines)
  const place = { path: CATALOGUE_FILE.root, node: source.document.contents, offset: 0 }
  const controls = readCatalogue(reader, place)
  return reader.problems.length === 0
    ? { ok: true, catalogue: { controls, has_all_tags: true } }
    : { ok: false, errors: buildErrors(CATALOGUE_FILE, reader.problems) }
}

/**
 * Always writes tags and `archived`, because an import keeps whatever the file omits. Formatted by hand: a library
 * takes half a second for a few thousand controls and would block other requests.
 */
export function formatYamlCatalogue(controls: readonly CatalogueControl[]): string {
  const written = controls.map(
    ({ identifier, name, description, links, tags, archived }) =>
      `  - identifier: ${formatScalar(identifier, '')}\n    name: ${formatScalar(name, '      ')}\n` +
      (description === null ? '' : `    description: ${formatScalar(description, '      ')}\n`) +
      (Object.keys(links).length === 0 ? '' : `    links:${formatMapping(links)}`) +
      (tags === undefined ? '' : `    tags:${formatMapping(tags)}`) +
      (archived === undefined ? '' : `    archived: ${archived}\n`),
  )
  return `version: 1\ncontrols:${written.length === 0 ? ' []' : ''}\n${written.join('')}`
}

const PRINTABLE =
  '\\x20-\\x7e\\xa0-\\u2027\\u202a-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\u{10000}-\\u{10ffff}'
const NEEDS_ESCAPE = new RegExp(`[^${PRINTABLE}]`, 'gu')
// Starts with a letter and contains nothing special in YAML; a colon only inside a word.
const PLAIN = /^[A-Za-z](?:[A-Za-z0-9 _.,/()+-]|:(?=[A-Za-z0-9/]))*(?<! )$/
const WORDS_OF_YAML = /^(?:y|n|yes|no|on|off|true|false|null)$/i
// Lines of text that can be written as a block: no line consists of spaces only, and the first one shows the
// indentation.
const LINES = new RegExp(`^(?! )(?:[${PRINTABLE}]*(?<! )\\n)+[${PRINTABLE}]*(?<! )$`, 'u')

function formatMapping(pairs: Record<string, string>): string {
  const entries = Object.entries(pairs)
  if (entries.length === 0) return ' {}\n'
  const lines = entries.map(([key, value]) => `      ${formatScalar(key, '')}: ${formatScalar(value, '')}\n`)
  return `\n${lines.join('')}`
}

/** Plain where possible, as a block of lines if `indent` allows it, otherwise in quotes. */
function formatScalar(text: string, indent: string): string {
  if (PLAIN.test(text) && !WORDS_OF_YAML.test(text)) return text
  const body = text.endsWith('\n') ? text.slice(0, -1) : text
  if (indent !== '' && body !== '' && !body.startsWith('\n') && !body.endsWith('\n') && LINES.test(text)) {
    const lines = body.split('\n').map(line => (line === '' ? '' : indent + line))
    return `${text === body ? '|-' : '|'}\n${lines.join('\n')}`
  }
  const toHexEscape = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replace(NEEDS_ESCAPE, toHexEscape)
}

function readCatalogue(reader: Reader, place: Place): CatalogueControl[] {
  const fields = readMapping(reader, place, { required: ['version', 'controls'], optional: [] })
  const version = fields.get('version')
  if (version && getScalarValue(version) !== 1) addProblem(reader, version, 'Input should be 1')
  const used = new Map<string, number>()
  return readList(reader, fields.get('controls'), control => readControl(reader, control, used))
}

function readControl(reader: Reader, place: Place, used: Map<string, number>): CatalogueControl {
  const fields = readMapping(reader, place, {
    required: ['identifier', 'name'],
    optional: ['description', 'links', 'tags', 'archived'],
  })
  const tags = omitNull(fields.get('tags'))
  return {
    identifier: readIdentifier(reader, fields.get('identifier'), used),
    name: readText(reader, fields.get('name'), FIELD_PROBLEMS.name) ?? '',
    // An empty description means none, as everywhere else.
    description: readText(reader, omitNull(fields.get('description')), FIELD_PROBLEMS.description) || null,
    links: readPairs(reader, omitNull(fields.get('links')), LINK_PAIRS),
    tags: tags && readPairs(reader, tags, TAG_PAIRS),
    archived: readBoolean(reader, omitNull(fields.get('archived'))),
  }
}

function readIdentifier(reader: Reader, place: Place | undefined, used: Map<string, number>): string {
  const identifier = readUniqueName(reader, place, CONTROL_IDENTIFIER, used)
  const matches = new RegExp(CONTROL_IDENTIFIER, 'u').test(identifier)
  const problem = matches ? FIELD_PROBLEMS.identifier(identifier) : undefined
  if (place && problem) addProblem(reader, place, problem)
  return identifier
}

function readText(
  reader: Reader,
  place: Place | undefined,
  findProblem: (text: string) => string | undefined,
): string | undefined {
  const text = readString(reader, place)
  const problem = text === undefined ? undefined : findProblem(text)
  if (place && problem) addProblem(reader, place, problem)
  return text
}

function readPairs(reader: Reader, place: Place | undefined, kind: PairKind): Record<string, string> {
  if (!place) return {}
  const items = isMap(place.node) ? place.node.items : []
  if (items.length > kind.max) {
    addProblem(reader, place, `Dictionary should have at most ${kind.max} entries`)
    return {}
  }
  const keys = items.flatMap(({ key }) => (isScalar(key) && typeof key.value === 'string' ? [key.value] : []))
  const fields = readMapping(reader, place, { required: [], optional: keys })
  const pairs = [...fields].map(([key, field]): [string, string] => {
    const problem = kind.findKeyProblem(key)
    if (problem) addProblem(reader, field, `Key: ${problem}`)
    return [key, readText(reader, field, kind.findValueProblem) ?? '']
  })
  return Object.fromEntries(pairs)
}

function omitNull(place: Place | undefined): Place | undefined {
  return place && getScalarValue(place) === null ? undefined : place
}
