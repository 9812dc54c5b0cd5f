// What docs/conformance.md says and whether a run of the tests bears it out: each row is a statement of the specification
// and the test that shows it. Pure; the reporter beside it and server/test/conformance.test.ts use it.

export const TITLE_SEPARATOR = ' › '

const CELL_BORDER = /(?<!\\)\|/
const STATEMENT_ID = /^(\d+(?:\.\d+)?|D)-\d+$/
/** What a title has where something is filled in at run time: `%s` and the like, `$name`, `${name}`. */
const FILLED_IN = /%[sdifjoOc#$]|\$\{[^}]*\}|\$[A-Za-z_][\w.]*/g

/** The rows of the tables, in their order. A row whose last cell names no test has an empty file and title. */
export function readStatements(markdown) {
  return markdown
    .split('\n')
    .filter(line => line.startsWith('|'))
    .map(line => line.split(CELL_BORDER).map(cell => cell.replaceAll('\\|', '|').trim()))
    .filter(cells => STATEMENT_ID.test(cells[1] ?? ''))
    .map(([, id, statement = '', test = '']) => {
      const [file, ...titles] = test.split(TITLE_SEPARATOR)
      return {
        id,
        section: id.slice(0, id.lastIndexOf('-')),
        statement,
        file,
        title: titles.join(TITLE_SEPARATOR),
      }
    })
}

/** Whether a title, as it is written in a file, can become this one. */
export function canBecome(written, title) {
  if (written === title) return true
  const parts = written.split(FILLED_IN)
  if (parts.length === 1) return false
  const pattern = parts.map(part => part.replaceAll('%%', '%').replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('[^]*')}$`).test(title)
}

/**
 * What is wrong with the statements after a run of everything. A row may name one test, or by the title as it is
 * written all that it became; every one of them must have passed.
 */
export function unshown(statements, ran) {
  const byFile = groupByFile(ran)
  return statements.flatMap(({ id, file, title }) => {
    const inFile = byFile.get(file) ?? []
    const exact = inFile.filter(test => test.title === title)
    const meant = exact.length > 0 ? exact : inFile.filter(test => canBecome(title, test.title))
    if (meant.length === 0) return [`${id}: did not run: ${file}${TITLE_SEPARATOR}${title}`]
    const failed = meant.filter(({ state }) => state !== 'passed')
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
