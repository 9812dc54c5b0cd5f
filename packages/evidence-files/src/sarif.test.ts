import { describe, expect, it } from 'vitest'
import { changeFixture, expectProblem, readFixture, toJson } from './fixtures.testing.ts'
import { readSarif } from './index.ts'

const DRIVER = { tool: { driver: { name: 'lint', version: '1.0' } } }
const readRuns = (...runs: object[]) => readSarif(toJson('a.sarif', { version: '2.1.0', runs }))
const readResults = (...results: object[]) => readRuns({ ...DRIVER, results })

describe('SARIF', () => {
  it('is summarized', () => {
    expect(readSarif(readFixture('semgrep.sarif'))).toEqual({
      tool: 'Semgrep OSS',
      tool_version: '1.98.0',
      runs: 1,
      is_successful: true,
      counts: { error: 1, warning: 2, note: 1, none: 1 },
      total: 5,
      security_counts: { critical: 0, high: 2, medium: 0, low: 1, none: 0 },
      unrated: 0,
      suppressed: 1,
      findings: [
        {
          id: 'js.sql-injection',
          severity: 'error',
          title: 'User input reaches a query',
          location: 'src/orders.ts:12-14',
        },
        { id: 'js.weak-random', severity: 'warning', title: 'Math.random is not random enough' },
        { id: 'js.sql-injection', severity: 'warning', title: 'Not accepted' },
        { id: 'js.todo', severity: 'note', title: 'A TODO' },
        { id: 'js.todo', severity: 'none', title: 'Nothing to do' },
      ],
      truncated: 0,
    })
  })

  it('combines several runs', () => {
    const other = { tool: { driver: { name: 'audit' } }, results: [{ level: 'error' }] }
    expect(readRuns({ ...DRIVER, results: [] }, other)).toMatchObject({
      tool: 'lint, audit',
      tool_version: '1.0',
      runs: 2,
      counts: { error: 1 },
    })
  })

  it.each([
    ['its own level', { level: 'note' }, 'note'],
    ['a level outside the standard', { level: 'info' }, 'note'],
    ['no level and no rule', {}, 'warning'],
    ['a kind that is no failure', { kind: 'open' }, 'none'],
    ['a kind and a level', { kind: 'fail', level: 'error' }, 'error'],
    ['the rule of another component', { ruleIndex: 0, rule: { toolComponent: { index: 0 } } }, 'warning'],
    ['the level of its rule', { ruleId: 'r' }, 'error'],
    ['the level of the rule that it is a part of', { ruleId: 'r/1' }, 'error'],
    ['an index beyond the rules', { ruleIndex: 99 }, 'warning'],
  ])('gives a result %s', (_, result, level) => {
    const rules = [{ id: 'r', defaultConfiguration: { level: 'error' } }]
    const { findings } = readRuns({ tool: { driver: { name: 'lint', rules } }, results: [result] })
    expect(findings[0]?.severity).toBe(level)
  })

  describe('with rules in extensions of the tool', () => {
    const rule = (id: string, level: string) => ({ id, defaultConfiguration: { level } })
    const tool = {
      driver: { name: 'CodeQL', rules: [rule('a', 'note'), rule('a', 'none')] },
      extensions: [
        { name: 'java', guid: '6f2a', rules: [rule('b', 'note'), rule('c', 'error')] },
        { name: 'go', rules: [rule('d', 'error')] },
      ],
    }

    it.each([
      ['an index in the extension', { rule: { index: 1, toolComponent: { index: 0 } } }, 'error'],
      ['an id and the extension', { ruleId: 'c', rule: { toolComponent: { guid: '6f2a' } } }, 'error'],
      [
        'an id and the name of the extension',
        { ruleId: 'd', rule: { toolComponent: { name: 'go' } } },
        'error',
      ],
      ['only an id', { ruleId: 'd' }, 'error'],
      ['an id that repeats, and an index', { ruleId: 'a', ruleIndex: 0 }, 'note'],
      ['an index that the id contradicts', { ruleId: 'c', ruleIndex: 0 }, 'error'],
    ])('finds the rule by %s', (_, result, level) => {
      expect(readRuns({ tool, results: [result] }).findings[0]?.severity).toBe(level)
    })
  })

  it.each([
    ['9.8', 'critical'],
    ['0.0', 'none'],
    ['MEDIUM', 'medium'],
    ['Moderate', 'medium'],
    [7, 'high'],
  ])('reads the security severity %s', (severity, level) => {
    const properties = { 'security-severity': severity }
    const { security_counts, unrated } = readResults({ properties })
    expect({ security_counts, unrated }).toMatchObject({ security_counts: { [level]: 1 }, unrated: 0 })
  })

  it('counts findings that nobody rated', () => {
    const rules = [{ id: 'generic-api-key' }]
    const results = [
      { ruleId: 'generic-api-key' },
      { ruleId: 'other' },
      { level: 'warning' },
      { kind: 'pass' },
    ]
    const { counts, unrated } = readRuns({ tool: { driver: { name: 'gitleaks', rules } }, results })
    expect({ counts, unrated }).toMatchObject({ counts: { warning: 3, none: 1 }, unrated: 2 })
  })

  it('reports whether the tool failed', () => {
    const invocations = [{ executionSuccessful: true }, { executionSuccessful: false }]
    expect(readRuns({ ...DRIVER, results: [], invocations }).is_successful).toBe(false)
  })

  it('counts more findings than it lists, the worst first', () => {
    const many = Array.from({ length: 600 }, () => ({ level: 'note', message: { text: 'x' } }))
    const { counts, findings, truncated } = readResults(...many, { level: 'error', ruleId: 'last' })
    expect(counts).toEqual({ error: 1, warning: 0, note: 600, none: 0 })
    expect(findings).toHaveLength(500)
    expect(findings[0]?.id).toBe('last')
    expect(truncated).toBe(101)
  })

  it('keeps the findings below half a mebibyte', () => {
    const long = Array.from({ length: 500 }, () => ({
      ruleId: '\u20ac'.repeat(900),
      message: { text: '\u20ac'.repeat(900) },
    }))
    const { findings, truncated } = readResults(...long)
    expect(Buffer.byteLength(JSON.stringify(findings))).toBeLessThan(512 * 1024)
    expect(findings.length + truncated).toBe(500)
    expect(findings[0]?.title).toHaveLength(500)
  })
})

describe('unreadable SARIF', () => {
  it.each([
    [
      'of another version',
      '"2.1.0"',
      '"2.0.0"',
      "$.version: expected the SARIF version '2.1.0', found '2.0.0'.",
    ],
    ['without runs', '"runs"', '"run"', '$.runs: expected the runs of the tool (a list), found nothing.'],
    [
      'without the tool',
      '"driver"',
      '"engine"',
      '$.runs[0].tool.driver: expected the tool (an object), found nothing.',
    ],
    [
      'without results',
      '"results"',
      '"result"',
      '$.runs[0].results: expected the results, empty if there are none (a list), found nothing.',
    ],
    [
      'with an unknown level',
      '"level": "warning"',
      '"level": "fatal"',
      "$.runs[0].results[4].level: expected one of error, warning, note, none, found 'fatal'.",
    ],
    [
      'with a wrong severity',
      '"8.1"',
      '"severe"',
      '.properties["security-severity"]: expected a number from 0 to 10',
    ],
  ])('is refused: %s', (_, find, replace, sentence) => {
    expectProblem(() => readSarif(changeFixture('semgrep.sarif', find, replace)), sentence)
  })

  it.each([
    ['no runs', { version: '2.1.0', runs: [] }, '$.runs: expected at least one run of the tool'],
    ['a list', [], '$: expected a SARIF log (an object), found a list.'],
    [
      'a result that is text',
      { version: '2.1.0', runs: [{ ...DRIVER, results: ['x'] }] },
      "$.runs[0].results[0]: expected a result (an object), found 'x'.",
    ],
  ])('is refused: %s', (_, value, sentence) => {
    expectProblem(() => readSarif(toJson('a.sarif', value)), `a.sarif, ${sentence}`)
  })
})
