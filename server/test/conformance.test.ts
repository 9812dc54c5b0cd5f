// docs/conformance.md says what the specification says, statement by statement, and which test shows it. Here every row
// is held to name a test that exists; scripts/conformance-reporter.mjs holds it to a test that passed.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { canBecome, readStatements, unshown } from '../../scripts/conformance.mjs'
import { root } from '../../scripts/prepare.mjs'
import { titlesIn } from './test-titles.ts'

const MIN_STATEMENTS = 300
/** The sections of the specification, and D for what was decided where it leaves something open. */
const SECTIONS = [
  '1',
  ...numbered('2', 11),
  '3',
  ...numbered('4', 12),
  ...['5', '6', '7', '8', '9'],
  'D',
] as const

function numbered(chapter: string, sections: number): string[] {
  return Array.from({ length: sections }, (_, index) => `${chapter}.${index + 1}`)
}

const statements = readStatements(readFileSync(join(root, 'docs', 'conformance.md'), 'utf8'))

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

  it('says something in every row, and nothing twice in a section', () => {
    const said = statements.map(({ section, statement }) => `${section} ${statement}`)
    expect(statements.filter(({ statement }) => statement.length < 10)).toEqual([])
    expect(said.filter((text, index) => said.indexOf(text) !== index)).toEqual([])
  })

  it('names a test that exists in every row', () => {
    const written = new Map<string, string[]>()
    const titlesOf = (file: string): string[] => {
      const path = join(root, file)
      if (!file.endsWith('.test.ts') || !existsSync(path)) return []
      const titles = written.get(file) ?? titlesIn(file, readFileSync(path, 'utf8'))
      written.set(file, titles)
      return titles
    }
    const missing = statements.filter(
      ({ file, title }) => !titlesOf(file).some(title_written => canBecome(title_written, title)),
    )
    expect(missing.map(({ id, file, title }) => `${id}: ${file} › ${title}`)).toEqual([])
  })
})

describe('the titles in a file', () => {
  const titles = (text: string) => titlesIn('x.test.ts', text)

  it('are joined with those of their groups', () => {
    expect(titles("describe('a', () => { describe('b', () => { it('c', () => {}) }); it('d', f) })")).toEqual(
      ['a › b › c', 'a › d'],
    )
  })

  it('are given as they are written where they are filled in', () => {
    expect(
      titles(`it.each([1])('takes %s', f); describe.each([2])('of $name', () => it(\`\${x}!\`, f))`),
    ).toEqual(['takes %s', `of $name › \${x}!`])
  })

  it('are not those of other calls', () => {
    expect(titles("expect('a', f); it('no body'); app.it; items('x', f)")).toEqual([])
  })
})

describe('a title as it is written', () => {
  it.each([
    ['takes %s', 'takes anything at all'],
    ['%s is %j', 'x is {"a":1}'],
    ['of $case.name (once)', 'of this (once)'],
    ['$' + '{kind} of 100%%', 'all of 100%'],
    ['the same', 'the same'],
  ])('%j can become %j', (written, title) => expect(canBecome(written, title)).toBe(true))

  it.each([
    ['takes %s', 'gives x'],
    ['a.c', 'abc'],
    ['of %s (once)', 'of x once'],
    ['the same', 'the same too'],
  ])('%j cannot become %j', (written, title) => expect(canBecome(written, title)).toBe(false))
})

describe('after a run', () => {
  const row = (file: string, title: string) => ({ id: '1-01', section: '1', statement: 's', file, title })
  const ran = [
    { file: 'a.test.ts', title: 'g › good', state: 'passed' },
    { file: 'a.test.ts', title: 'g › bad', state: 'failed' },
    { file: 'a.test.ts', title: 'g › left out', state: 'skipped' },
    { file: 'a.test.ts', title: 'each 1', state: 'passed' },
    { file: 'a.test.ts', title: 'each 2', state: 'failed' },
    { file: 'a.test.ts', title: 'all 1', state: 'passed' },
  ]

  it.each([
    ['g › good', []],
    ['all %s', []],
    ['each 1', []],
    ['g › bad', ['1-01: failed: a.test.ts › g › bad']],
    ['g › left out', ['1-01: skipped: a.test.ts › g › left out']],
    ['each %i', ['1-01: failed: a.test.ts › each 2']],
    ['g › gone', ['1-01: did not run: a.test.ts › g › gone']],
    ['none %s', ['1-01: did not run: a.test.ts › none %s']],
  ])('a row that names %j is judged by it', (title, problems) => {
    expect(unshown([row('a.test.ts', title)], ran)).toEqual(problems)
  })

  it('a row is not shown by the test of another file', () => {
    expect(unshown([row('b.test.ts', 'g › good')], ran)).toHaveLength(1)
  })
})

describe('a table', () => {
  it('is read row by row, whatever else is on the page', () => {
    const text =
      '# x\n| id | statement | test |\n|---|---|---|\n| 2.1-01 | a \\| b | f.test.ts › g › t \\| u |\n| D-01 | c | |'
    expect(readStatements(text)).toEqual([
      { id: '2.1-01', section: '2.1', statement: 'a | b', file: 'f.test.ts', title: 'g › t | u' },
      { id: 'D-01', section: 'D', statement: 'c', file: '', title: '' },
    ])
  })
})
