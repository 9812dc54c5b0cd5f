// Catalogue CSV: parses text into controls, or lists every error with its position; and writes controls as text that
// parses into the same controls. Links and tags are pairs in one cell: `label=value`, separated by semicolons, with a
// backslash before a literal special character.
import { buildErrors, formatInput, type Problem } from '../yaml/problems.ts'
import {
  CATALOGUE_FILE,
  type CatalogueControl,
  FIELD_PROBLEMS,
  LINK_PAIRS,
  MAX_CONTROLS,
  type PairKind,
  type ParsedCatalogue,
  TAG_PAIRS,
} from './catalogue.ts'
import { type Cell, formatCells, parseCells } from './catalogue-csv-cells.ts'

const COLUMNS = ['identifier', 'name', 'description', 'links', 'tags', 'archived'] as const
type Column = (typeof COLUMNS)[number]
// Far more than a valid row has: extra cells are read only to report them.
const MAX_CELLS = 50
// More than the longest valid pairs take with a backslash before every character.
const MAX_PAIRS_TEXT = 500_000
const REQUIRED: readonly Column[] = ['identifier', 'name']

interface CsvReader {
  problems: Problem[]
  /** Identifier → line. */
  used: Map<string, number>
}

type Cells = ReadonlyMap<Column, Cell>

export function parseCsvCatalogue(text: string): ParsedCatalogue {
  const read = parseCells(text, { rows: MAX_CONTROLS + 1, cells: MAX_CELLS })
  const reader: CsvReader = { problems: [], used: new Map() }
  if (!read.ok) {
    const { line, column, sentence } = read
    return toFailure([
      { path: CATALOGUE_FILE.root, line, column, sentence, input: extractInput(text, line, column) },
    ])
  }
  const [header = [], ...rows] = read.rows
  const columns = readHeader(reader, header)
  if (rows.length > MAX_CONTROLS) {
    const sentence = `Catalogue should have at most ${MAX_CONTROLS} controls`
    addProblem(reader, CATALOGUE_FILE.root, rows[MAX_CONTROLS]?.[0], sentence)
  }
  if (reader.problems.length > 0) return toFailure(reader.problems)
  const controls = rows.map((row, index) =>
    readRow(reader, columns, row, `${CATALOGUE_FILE.root}.controls[${index}]`),
  )
  return reader.problems.length === 0
    ? { ok: true, catalogue: { controls, has_all_tags: true } }
    : toFailure(reader.problems)
}

export function formatCsvCatalogue(controls: readonly CatalogueControl[]): string {
  const rows = controls.map(({ identifier, name, description, links, tags, archived }) => [
    identifier,
    name,
    description ?? '',
    formatPairs(links),
    formatPairs(tags ?? {}),
    archived === undefined ? '' : String(archived),
  ])
  return formatCells([COLUMNS, ...rows])
}

function toFailure(problems: Problem[]): ParsedCatalogue {
  return { ok: false, errors: buildErrors(CATALOGUE_FILE, problems) }
}

function extractInput(text: string, line: number, column: number): string {
  return formatInput((text.split('\n', line)[line - 1] ?? '').slice(column - 1))
}

function readHeader(reader: CsvReader, header: readonly Cell[]): Column[] {
  const columns: Column[] = []
  for (const cell of header) {
    const column = COLUMNS.find(known => known === cell.text)
    const path = `${CATALOGUE_FILE.root}.${formatInput(cell.text)}`
    if (column === undefined) addProblem(reader, path, cell, 'Extra inputs are not permitted')
    else if (columns.includes(column)) addProblem(reader, path, cell, 'Column should be given only once')
    else columns.push(column)
  }
  for (const column of REQUIRED.filter(name => !columns.includes(name))) {
    addProblem(reader, `${CATALOGUE_FILE.root}.${column}`, header[0], 'Column required')
  }
  return columns
}

function readRow(
  reader: CsvReader,
  columns: readonly Column[],
  row: readonly Cell[],
  path: string,
): CatalogueControl {
  if (row.length !== columns.length) {
    addProblem(reader, path, row[0], `Row should have ${columns.length} cells, it has ${row.length}`)
  }
  const cells: Cells = new Map(columns.flatMap((column, index) => (row[index] ? [[column, row[index]]] : [])))
  const tags = cells.get('tags')
  return {
    identifier: readIdentifier(reader, cells.get('identifier'), `${path}.identifier`),
    name: readText(reader, cells.get('name'), `${path}.name`, FIELD_PROBLEMS.name),
    description:
      readText(reader, cells.get('description'), `${path}.description`, FIELD_PROBLEMS.description) || null,
    links: readPairs(reader, cells.get('links'), path, LINK_PAIRS),
    tags: tags && readPairs(reader, tags, path, TAG_PAIRS),
    archived: readArchived(reader, cells.get('archived'), `${path}.archived`),
  }
}

function readIdentifier(reader: CsvReader, cell: Cell | undefined, path: string): string {
  const identifier = readText(reader, cell, path, FIELD_PROBLEMS.identifier)
  if (!cell) return identifier
  const earlier = reader.used.get(identifier)
  if (earlier === undefined) reader.used.set(identifier, cell.line)
  else
    addProblem(
      reader,
      path,
      cell,
      `Name should be used only once in its list, line ${earlier} already has it`,
    )
  return identifier
}

function readText(
  reader: CsvReader,
  cell: Cell | undefined,
  path: string,
  findProblem: (text: string) => string | undefined,
): string {
  const text = cell?.text ?? ''
  const problem = cell && findProblem(text)
  if (problem) addProblem(reader, path, cell, problem)
  return text
}

/** Spreadsheets write booleans in capitals. */
function readArchived(reader: CsvReader, cell: Cell | undefined, path: string): boolean | undefined {
  const word = cell?.text.toLowerCase() ?? ''
  if (word === '') return undefined
  if (word !== 'true' && word !== 'false')
    addProblem(reader, path, cell, 'Input should be true, false or nothing')
  return word === 'true'
}

function readPairs(
  reader: CsvReader,
  cell: Cell | undefined,
  control: string,
  kind: PairKind,
): Record<string, string> {
  const path = `${control}.${kind.field}`
  const pairs = new Map<string, string>()
  if (cell && cell.text.length > MAX_PAIRS_TEXT) {
    addProblem(reader, path, cell, `Cell should have at most ${MAX_PAIRS_TEXT} characters`)
    return {}
  }
  const written = cell?.text ? parsePairs(cell.text) : []
  if (written.length > kind.max) addProblem(reader, path, cell, `Cell should have at most ${kind.max} pairs`)
  for (const { key, value } of written.slice(0, kind.max)) {
    const addPairProblem = (sentence: string) =>
      addProblem(reader, path, cell, `Pair '${formatInput(key)}': ${sentence}`)
    if (value === undefined) {
      addPairProblem("Input should be written as 'label=value'")
      continue
    }
    const problem = kind.findKeyProblem(key) ?? kind.findValueProblem(value)
    if (problem) addPairProblem(problem)
    if (pairs.has(key)) addPairProblem('Key should be given only once')
    pairs.set(key, value)
  }
  return Object.fromEntries(pairs)
}

interface Pair {
  key: string
  /** Undefined if there is no equals sign. */
  value: string | undefined
}

function parsePairs(text: string): Pair[] {
  const pairs: Pair[] = []
  let key: string | undefined
  let side = ''
  const addPair = () => {
    pairs.push(key === undefined ? { key: side, value: undefined } : { key, value: side })
    key = undefined
    side = ''
  }
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '\\' && at + 1 < text.length) side += text[++at]
    else if (character === ';') addPair()
    else if (character === '=' && key === undefined) {
      key = side
      side = ''
    } else side += character
  }
  addPair()
  return pairs
}

/** An equals sign in a value is not escaped: URLs contain many. */
function formatPairs(pairs: Record<string, string>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key.replace(/[\\;=]/g, '\\$&')}=${value.replace(/[\\;]/g, '\\$&')}`)
    .join(';')
}

function addProblem(reader: CsvReader, path: string, cell: Cell | undefined, sentence: string): void {
  const { line, column, text } = cell ?? { line: 1, column: 1, text: '' }
  reader.problems.push({ path, line, column, sentence, input: formatInput(text) })
}
