// docs/conformance.md repeats the specification statement by statement. Checks that its tables are complete and in
// order; server/test/documents.test.ts checks that every row names a test, as it does for the other documents.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readStatements } from '../../scripts/doc-tests.mjs'
import { root } from '../../scripts/prepare.mjs'

const MIN_STATEMENTS = 300
const STATEMENT_ID = /^(\d+(?:\.\d+)?|D)-\d+$/
/** Helpers that start the service, or a browser for it. */
const FRONT_DOOR = /from '(\.\.?\/)+(test\/)?(harness|service|browser)\.ts'/
/** Rows that cannot be observed from outside, and why. */
const INTERNAL: Readonly<Record<string, string>> = { 'D-06': 'how the source is divided' }
/** The sections of the specification, and D for decisions where it leaves something open. */
const SECTIONS = [
  '1',
  ...listSections('2', 11),
  '3',
  ...listSections('4', 12),
  ...['5', '6', '7', '8', '9'],
  'D',
] as const

function listSections(chapter: string, sections: number): string[] {
  return Array.from({ length: sections }, (_, index) => `${chapter}.${index + 1}`)
}

const statements = readStatements(readFileSync(join(root, 'docs', 'conformance.md'), 'utf8'))
  .filter(({ cells: [id = ''] }) => STATEMENT_ID.test(id))
  .map(({ cells: [id = '', statement = ''], tests }) => ({
    id,
    section: id.slice(0, id.lastIndexOf('-')),
    statement,
    tests,
  }))

describe('docs/conformance.md', () => {
  it('has rows for every section, in order', () => {
    expect([...new Set(statements.map(({ section }) => section))]).toEqual(SECTIONS)
    expect(statements.length).toBeGreaterThanOrEqual(MIN_STATEMENTS)
  })

  it('numbers the rows of each section from 1', () => {
    const expected = SECTIONS.flatMap(section =>
      statements
        .filter(statement => statement.section === section)
        .map((_, index) => `${section}-${String(index + 1).padStart(2, '0')}`),
    )
    expect(statements.map(({ id }) => id)).toEqual(expected)
  })

  it('has a statement in every row, and none twice in a section', () => {
    const said = statements.map(({ section, statement }) => `${section} ${statement}`)
    expect(statements.filter(({ statement }) => statement.length < 10)).toEqual([])
    expect(said.filter((text, index) => said.indexOf(text) !== index)).toEqual([])
  })

  it('names a test that uses the public interface', () => {
    const inner = statements.filter(({ id, tests }) => {
      const sources = tests.map(({ file }) => readFileSync(join(root, file), 'utf8'))
      return !(id in INTERNAL) && !sources.every(source => FRONT_DOOR.test(source))
    })
    expect(inner.map(({ id }) => id)).toEqual([])
  })

  it('names one test in every row', () => {
    expect(statements.filter(({ tests }) => tests.length !== 1)).toEqual([])
  })
})
