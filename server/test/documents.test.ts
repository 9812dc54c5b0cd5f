// Statements in documents name the test that proves them (scripts/doc-tests.mjs). Checks that every statement names a
// test that exists; scripts/doc-tests-reporter.mjs fails a full run in which one of them did not pass.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  canBecome,
  DOCUMENTS,
  findProblems,
  findUnproven,
  readReferences,
  readSource,
  readStatements,
} from '../../scripts/doc-tests.mjs'
import { root } from '../../scripts/prepare.mjs'
import { readTitles } from './test-titles.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

const titles = new Map<string, string[]>()
function listTitles(file: string): string[] {
  if (!file.endsWith('.test.ts') || !existsSync(join(root, file))) return []
  const known = titles.get(file) ?? readTitles(file, read(file))
  titles.set(file, known)
  return known
}

describe.each(DOCUMENTS.map(({ path, sections }) => [path, sections] as const))('%s', (path, sections) => {
  it('has something to check in every section that is named', () => {
    for (const section of sections ?? [undefined]) {
      expect(readStatements(read(path), section === undefined ? undefined : [section])).not.toEqual([])
    }
  })

  it('names a test for every statement, or says why there is none', () => {
    expect(findProblems(path, read(path), sections)).toEqual([])
  })

  it('names only tests that exist', () => {
    const missing = readReferences(path, read(path), sections).filter(
      ({ file, title }) => !listTitles(file).some(written => canBecome(written, title)),
    )
    expect(missing.map(({ id, file, title }) => `${id}: ${file} › ${title}`)).toEqual([])
  })

  it('names only sources that exist where no test can observe something', () => {
    const named = readStatements(read(path), sections).map(({ excuse = '' }) => excuse)
    const outside = named.filter(excuse => excuse.startsWith('outside: '))
    const gone = outside.filter(excuse => {
      const source = readSource(excuse.slice('outside: '.length))
      return source === undefined || !exists(source)
    })
    expect(gone).toEqual([])
  })
})

/** Whether the file contains the name, or package.json has the command. */
function exists(source: NonNullable<ReturnType<typeof readSource>>): boolean {
  if ('command' in source) return JSON.parse(read('package.json')).scripts[source.command] !== undefined
  return existsSync(join(root, source.file)) && new RegExp(`\\b${source.name}\\b`).test(read(source.file))
}

describe('a statement', () => {
  const listTexts = (markdown: string) => readStatements(markdown).map(({ text }) => text)

  it('is a table row, a list item or a paragraph', () => {
    const page =
      '# Title\n\nOne\nparagraph.\n\n- An item\n  that goes on\n- another\n\n1. a step\n\n| a |\n|---|\n| b |\n'
    expect(listTexts(page)).toEqual([
      'One paragraph.',
      '- An item that goes on',
      '- another',
      '1. a step',
      'b',
    ])
  })

  it('is not a heading, the head of a table or code', () => {
    expect(listTexts('# Title\n\n```sh\n- no item\n# no heading\n```\n\n| a | b |\n|---|---|\n')).toEqual([])
  })

  it('has its line number, and the cells of its row', () => {
    const [, row] = readStatements('Text.\n\n| a | b |\n|---|---|\n| c \\| d | e |\n')
    expect(row).toMatchObject({ line: 5, text: 'c | d | e', cells: ['c | d', 'e'] })
  })

  it('names its tests in comments, which may be broken into lines', () => {
    const page = '- True.\n  <!-- test: a.test.ts › group ›\n    title -->\n  <!-- test: b.test.ts › t -->\n'
    expect(readReferences('x.md', page)).toEqual([
      { id: 'x.md:1', file: 'a.test.ts', title: 'group › title' },
      { id: 'x.md:1', file: 'b.test.ts', title: 't' },
    ])
  })

  it('names its test in the last column when its heading is "test"', () => {
    const page =
      '| id | statement | test |\n|---|---|---|\n| 1 | true | f.test.ts › g › t \\| u |\n| 2 | c | |\n'
    expect(readReferences('x.md', page)).toEqual([{ id: 'x.md:3', file: 'f.test.ts', title: 'g › t | u' }])
    expect(findProblems('x.md', page)).toEqual(['x.md:4: names no test: 2 | c |'])
  })

  it('belongs to one of the requested sections', () => {
    expect(readStatements('a\n\n## In\n\nb\n\n## Out\n\nc\n', ['In']).map(({ text }) => text)).toEqual(['b'])
  })
})

describe('a writer is warned', () => {
  it.each([
    ['of a statement without a test', 'True.', 'names no test: True.'],
    [
      'of a comment after a blank line',
      'True. <!-- no test: advice -->\n\n<!-- test: a.test.ts › t -->',
      'the comment belongs to no statement: leave no blank line before it',
    ],
    ['of a comment that means nothing', 'True. <!-- tests: a -->', 'cannot read the comment "tests: a"'],
    [
      'of a test that is named and denied',
      'True. <!-- test: a.test.ts › t --> <!-- no test: advice -->',
      'names a test and says that there is none',
    ],
    [
      'of an excuse that nobody knows',
      'True. <!-- no test: hard -->',
      '"hard" is none of advice, introduction, absent, outside',
    ],
    ['of a source that is not named', 'True. <!-- no test: outside -->', 'does not say where it comes from'],
    [
      'of a source that nobody can look up',
      'True. <!-- no test: outside: common sense -->',
      'does not say where it comes from',
    ],
  ])('%s', (_case, page, problem) => {
    expect(findProblems('x.md', page).map(problem => problem.slice(problem.indexOf(' ') + 1))).toEqual([
      problem,
    ])
  })

  it.each([
    'True. <!-- test: a.test.ts › t -->',
    'Do it. <!-- no test: advice -->',
    'True. <!-- no test: outside: npm run bench -->',
    'True. <!-- no test: outside: STOP_WITHIN_MS in server/src/serve.ts -->',
    '# Read this\n\n<!-- no test: advice -->\n\nDo it.\n\n- And this.',
  ])('but not about %j', page => expect(findProblems('x.md', page)).toEqual([]))

  it('of a statement in the section after one that is excused', () => {
    const page = '# One\n\n<!-- no test: advice -->\n\nDo it.\n\n# Two\n\nTrue.'
    expect(findProblems('x.md', page)).toEqual(['x.md:9: names no test: True.'])
  })
})

describe('the titles in a file', () => {
  const readTitlesIn = (text: string) => readTitles('x.test.ts', text)

  it('are joined with those of their groups', () => {
    expect(
      readTitlesIn("describe('a', () => { describe('b', () => { it('c', () => {}) }); it('d', f) })"),
    ).toEqual(['a › b › c', 'a › d'])
  })

  it('are returned as written when they have placeholders', () => {
    expect(
      readTitlesIn(`it.each([1])('takes %s', f); describe.each([2])('of $name', () => it(\`\${x}!\`, f))`),
    ).toEqual(['takes %s', `of $name › \${x}!`])
  })

  it('are not those of other calls', () => {
    expect(readTitlesIn("expect('a', f); it('no body'); app.it; items('x', f)")).toEqual([])
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
  const makeReference = (file: string, title: string) => ({ id: '1-01', file, title })
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
  ])('a reference to %j is checked against its results', (title, problems) => {
    expect(findUnproven([makeReference('a.test.ts', title)], ran)).toEqual(problems)
  })

  it('a statement is not proven by the test of another file', () => {
    expect(findUnproven([makeReference('b.test.ts', 'g › good')], ran)).toHaveLength(1)
  })
})
