import { describe, expect, it } from 'vitest'
import { changeFixture, expectProblem, readFixture, toJson } from './fixtures.testing.ts'
import { readCtrf } from './index.ts'

const TOOL = { name: 'jest' }
const read = (summary: object, tests: object[] = []) =>
  readCtrf(toJson('ctrf.json', { results: { tool: TOOL, summary, tests } }))

describe('CTRF', () => {
  it('is summarized', () => {
    expect(readCtrf(readFixture('ctrf.json'))).toEqual({
      tool: 'playwright',
      tool_version: '1.65.0',
      totals: { tests: 4, passed: 2, failed: 1, skipped: 1, pending: 0, other: 0 },
      duration_ms: 8500,
      findings: [
        {
          id: 'archives a flow',
          severity: 'failed',
          title: 'Timed out waiting for the dialog',
          location: 'e2e/flows.spec.ts',
        },
      ],
      truncated: 0,
    })
  })

  it.each([
    ['a summary without tests', { tests: 2, passed: 1, failed: 1 }, [], { tests: 2, passed: 1, failed: 1 }],
    [
      'failures that the summary omits',
      { tests: 1, passed: 1, failed: 0 },
      ['failed'],
      { tests: 1, failed: 1 },
    ],
    ['tests that the summary omits', { tests: 1 }, ['passed', 'other'], { tests: 2, passed: 1, other: 1 }],
  ])('believes the higher number: %s', (_, summary, statuses, totals) => {
    const tests = statuses.map((status, i) => ({ name: `test ${i}`, status, duration: 1 }))
    expect(read(summary, tests).totals).toMatchObject(totals)
  })

  it.each([
    [{ start: 5, stop: 9 }, 4],
    [{ start: 5 }, null],
    [{ start: 9, stop: 5 }, null],
    [{ start: -1e308, stop: 1e308 }, null],
    [{}, null],
  ])('has the duration of %j', (times, duration_ms) => {
    expect(read({ tests: 0, ...times })).toMatchObject({ tool_version: null, duration_ms })
  })

  it('lists at most 500 failed tests', () => {
    const tests = Array.from({ length: 501 }, () => ({ name: 'x', status: 'failed' }))
    const { findings, truncated } = read({ tests: 501 }, tests)
    expect([findings.length, truncated]).toEqual([500, 1])
  })
})

describe('unreadable CTRF', () => {
  it.each([
    [
      'no results',
      '"results"',
      '"result"',
      '$.results: expected the results of a CTRF report (an object), found nothing.',
    ],
    [
      'no summary',
      '"summary"',
      '"sum"',
      '$.results.summary: expected the summary (an object), found nothing.',
    ],
    [
      'no number of tests',
      '"tests": 4',
      '"tests": "4"',
      "$.results.summary.tests: expected the number of tests (an integer from 0 on), found '4'.",
    ],
    [
      'a negative number',
      '"failed": 1',
      '"failed": -1',
      '$.results.summary.failed: expected the number of failed tests (an integer from 0 on), found -1.',
    ],
    [
      'an unknown status',
      '"status": "failed"',
      '"status": "broken"',
      "$.results.tests[2].status: expected one of failed, other, pending, skipped, passed, found 'broken'.",
    ],
    [
      'no name of the tool',
      '"playwright"',
      'null',
      '$.results.tool.name: expected the name of the tool (text), found null.',
    ],
  ])('is refused: %s', (_, find, replace, sentence) => {
    expectProblem(() => readCtrf(changeFixture('ctrf.json', find, replace)), `ctrf.json, ${sentence}`)
  })
})
