// Finds the tests that prove the statements of the documents. A statement (a table row, a list item, a paragraph)
// names its test in the column `test` of its table or in a comment after it; see CONTRIBUTING.md. Pure functions:
// server/test/documents.test.ts checks that every statement has an existing test, and doc-tests-reporter.mjs that
// every named test passed.

export const TITLE_SEPARATOR = ' › '

/** The documents to check: completely, or only the sections with these headings. */
export const DOCUMENTS = [
  { path: 'docs/conformance.md' },
  { path: 'SECURITY.md' },
  { path: 'docs/decisions.md' },
  { path: 'docs/operations.md' },
  { path: 'docs/notifications.md' },
  { path: 'docs/controls.md' },
  { path: 'docs/cells.md' },
  { path: 'docs/apply.md' },
  { path: 'docs/compatibility.md' },
  { path: 'docs/mcp.md' },
  { path: 'docs/cli.md', sections: ['The command line', 'Where values come from', 'Exit codes'] },
  { path: 'docs/ci.md' },
  { path: 'docs/first-hour.md' },
  { path: 'docs/audit-sinks.md' },
  { path: 'docs/install/kubernetes.md' },
  { path: 'docs/install/compose.md' },
  { path: 'docs/install/systemd.md' },
  { path: 'ARCHITECTURE.md', sections: ['Invariants, and the test that proves each'] },
]

/** The reasons for which a statement may have no test. */
export const EXCUSES = {
  advice: 'tells the reader what to do',
  introduction: 'introduces or explains what is stated and tested elsewhere',
  absent: 'says that something does not exist',
  outside: 'no test can observe it; what it comes from is named: `NAME in path`, or `npm run command`',
}

const HEADING = /^#+\s+(.*)$/
const FENCE = /^\s*(```|~~~)/
const TABLE_ROW = /^\s*\|/
const LIST_ITEM = /^\s*([-*]|\d+\.)\s/
const CELL_BORDER = /(?<!\\)\|/
const COMMENT = /<!--\s*(.*?)\s*-->/g
const REFERENCE = /^(test|no test):\s*(.*)$/
/** Placeholders in a title that are filled in at run time: `%s` and the like, `$name`, `${name}`. */
const PLACEHOLDER = /%[sdifjoOc#$]|\$\{[^}]*\}|\$[A-Za-z_][\w.]*/g

/**
 * The statements of a document in order, each with the tests it names or the reason why it names none. `excuse` is
 * undefined without such a reason. A comment alone below a heading applies to everything up to the next heading.
 */
export function readStatements(markdown, sections) {
  const statements = []
  let excused
  for (const block of readBlocks(markdown)) {
    if (block.is_first) excused = undefined
    if (sections && !sections.includes(block.section)) continue
    const statement = readStatement(block)
    if (block.is_first && statement.text === '' && statement.excuse) excused = statement.excuse
    else
      statements.push(excused && statement.tests.length === 0 ? { ...statement, excuse: excused } : statement)
  }
  return statements
}

function readStatement({ line, text, cells, has_test_column }) {
  const comments = [...text.matchAll(COMMENT)].map(([, comment]) => REFERENCE.exec(comment) ?? [comment])
  const named = comments.flatMap(([, kind, value]) => (kind === 'test' ? [value] : []))
  const tests = has_test_column ? [cells.at(-1) ?? ''] : named
  return {
    line,
    text: text.replaceAll(COMMENT, '').trim(),
    cells,
    tests: tests.filter(test => test !== '').map(readReference),
    excuse: comments.find(([, kind]) => kind === 'no test')?.[2],
    unreadable: comments.flatMap(([comment, kind]) => (kind === undefined ? [comment] : [])),
  }
}

function readReference(text) {
  const [file, ...titles] = text.split(TITLE_SEPARATOR)
  return { file, title: titles.join(TITLE_SEPARATOR) }
}

/** Table rows, list items and paragraphs, without headings and code. `is_first` marks the first one below a heading. */
function readBlocks(markdown) {
  const blocks = []
  const place = { section: '', is_first: true }
  let table
  let open
  const add = block => {
    blocks.push({ ...block, ...place })
    place.is_first = false
    return blocks.at(-1)
  }
  for (const { line, kind, text } of readLines(markdown)) {
    if (kind === 'heading') Object.assign(place, { section: HEADING.exec(text)?.[1], is_first: true })
    if (kind === 'text' && open) open.text += ` ${text.trim()}`
    else if (kind === 'text' || kind === 'item') open = add({ line, text: text.trim(), cells: [] })
    else open = undefined
    table = kind === 'row' ? readRow(table, text) : undefined
    if (table && table.rows > 2) add({ line, text: table.cells.join(' | '), ...table })
  }
  return blocks
}

/** The table so far, with its latest row. The first row has the headings and the second one is the separator. */
function readRow(table, text) {
  const inner = text.trim().split(CELL_BORDER).slice(1, -1)
  const cells = inner.map(cell => cell.replaceAll('\\|', '|').trim())
  if (table) return { ...table, rows: table.rows + 1, cells }
  return { rows: 1, cells, has_test_column: cells.at(-1)?.toLowerCase() === 'test' }
}

function readLines(markdown) {
  let fence
  return markdown.split('\n').map((text, index) => {
    const marker = FENCE.exec(text)?.[1]
    const is_code = fence !== undefined || marker !== undefined
    if (fence === undefined) fence = marker
    else if (marker === fence) fence = undefined
    return { line: index + 1, kind: is_code ? 'code' : getKind(text), text }
  })
}

function getKind(text) {
  if (text.trim() === '') return 'blank'
  if (HEADING.test(text)) return 'heading'
  if (TABLE_ROW.test(text)) return 'row'
  return LIST_ITEM.test(text) ? 'item' : 'text'
}

/** Problems to fix: statements without a test, and comments that are invalid or belong to no statement. */
export function findProblems(path, markdown, sections) {
  return readStatements(markdown, sections).flatMap(statement => {
    const problem = findProblem(statement)
    return problem ? [`${path}:${statement.line}: ${problem}`] : []
  })
}

function findProblem({ text, tests, excuse, unreadable }) {
  if (unreadable.length > 0) return `cannot read the comment "${unreadable[0]}"`
  if (text === '') return 'the comment belongs to no statement: leave no blank line before it'
  if (excuse === undefined) return tests.length === 0 ? `names no test: ${text.slice(0, 80)}` : undefined
  if (tests.length > 0) return 'names a test and says that there is none'
  const [, kind = excuse, words = ''] = /^(\w+)(?::\s*(.*))?$/.exec(excuse) ?? []
  if (!Object.hasOwn(EXCUSES, kind)) return `"${kind}" is none of ${Object.keys(EXCUSES).join(', ')}`
  return kind === 'outside' && !readSource(words) ? 'does not say where it comes from' : undefined
}

/** The source of a statement that no test can observe: a name in a file, or a command. */
export function readSource(words) {
  const [, name, file] = /^(\w+) in (\S+)$/.exec(words) ?? []
  const [, command] = /^npm (?:run )?([\w:]+)$/.exec(words) ?? []
  if (name !== undefined) return { name, file }
  return command === undefined ? undefined : { command }
}

/** Every test that a document names, with the line that names it. */
export function readReferences(path, markdown, sections) {
  return readStatements(markdown, sections).flatMap(({ line, tests }) =>
    tests.map(test => ({ id: `${path}:${line}`, ...test })),
  )
}

/** Returns whether a title in a source file can become this title at run time. */
export function canBecome(written, title) {
  if (written === title) return true
  const parts = written.split(PLACEHOLDER)
  if (parts.length === 1) return false
  const pattern = parts.map(part => part.replaceAll('%%', '%').replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('[^]*')}$`).test(title)
}

/**
 * The references that a complete test run does not confirm. A reference names one test or, by the title in the
 * source, all the tests that it became. All of them must have passed.
 */
export function findUnproven(references, ran) {
  const byFile = groupByFile(ran)
  return references.flatMap(({ id, file, title }) => {
    const inFile = byFile.get(file) ?? []
    const exact = inFile.filter(test => test.title === title)
    const matching = exact.length > 0 ? exact : inFile.filter(test => canBecome(title, test.title))
    if (matching.length === 0) return [`${id}: did not run: ${file}${TITLE_SEPARATOR}${title}`]
    const failed = matching.filter(({ state }) => state !== 'passed')
    return failed.map(test => `${id}: ${test.state}: ${file}${TITLE_SEPARATOR}${test.title}`)
  })
}

function groupByFile(ran) {
  const groups = new Map()
  for (const test of ran) {
    const group = groups.get(test.file)
    if (group) group.push(test)
    else groups.set(test.file, [test])
  }
  return groups
}
