import { describe, expect, it } from 'vitest'
import { expectProblem, openText, readFixture } from './fixtures.testing.ts'
import { readJunit } from './index.ts'

const read = (...texts: string[]) => readJunit(texts.map((text, i) => openText(`${i + 1}.xml`, text)))
const CLEAN = { failures: 0, errors: 0, skipped: 0, total: 1, duration: 0 }

describe('JUnit', () => {
  it('has one entry for each suite', () => {
    expect(readJunit([readFixture('junit-suites.xml')])).toEqual({
      junit_results: [
        {
          name: 'orders',
          failures: 1,
          errors: 0,
          skipped: 1,
          total: 3,
          duration: 0.3,
          timestamp: 1_772_530_412,
        },
        { name: 'billing', failures: 0, errors: 0, skipped: 0, total: 2, duration: 0.35 },
      ],
      files: ['junit-suites.xml'],
      ignored_files: [],
      warnings: [],
    })
  })

  it('adds nested suites to the outermost one', () => {
    expect(readJunit([readFixture('junit-nested.xml')]).junit_results).toEqual([
      { name: 'all', failures: 0, errors: 1, skipped: 0, total: 3, duration: 1001, timestamp: 1_767_323_045 },
    ])
  })

  it('reads the files of a folder, and names those without a suite', () => {
    const files = [
      readFixture('junit-suites.xml'),
      openText('pom.xml', '<project/>'),
      readFixture('junit-nested.xml'),
    ]
    expect(readJunit(files)).toMatchObject({
      junit_results: [{ name: 'orders' }, { name: 'billing' }, { name: 'all' }],
      files: ['junit-suites.xml', 'junit-nested.xml'],
      ignored_files: ['pom.xml'],
    })
  })

  it.each([
    ['a passed test', '<testcase name="x"/>', CLEAN],
    ['a failed test', '<testcase name="x"><failure/></testcase>', { ...CLEAN, failures: 1 }],
    ['an error', '<testcase name="x"><error/></testcase>', { ...CLEAN, errors: 1 }],
    ['a skipped test', '<testcase name="x"><skipped/></testcase>', { ...CLEAN, skipped: 1 }],
    ['a test that did not run', '<testcase name="x" status="notrun"/>', { ...CLEAN, skipped: 1 }],
    [
      'a failed test that was skipped',
      '<testcase><failure/><skipped/></testcase>',
      { ...CLEAN, failures: 1 },
    ],
    ['an error and a failure', '<testcase><error/><failure/></testcase>', { ...CLEAN, errors: 1 }],
    ['two failures of a test', '<testcase><failure/><failure/></testcase>', { ...CLEAN, failures: 1 }],
    ['a test that passed again', '<testcase><flakyFailure/></testcase>', CLEAN],
    ['a failure deeper inside', '<testcase><properties><failure/></properties></testcase>', CLEAN],
    ['a suite in a test', '<testcase><testsuite failures="1"/></testcase>', CLEAN],
    ['no test', '', { ...CLEAN, total: 0 }],
    ['a time', '<testcase time="0.1"/><testcase time="0.2"/>', { ...CLEAN, total: 2, duration: 0.3 }],
    ['a time with thousands', '<testcase time="1,234,567.5"/>', { ...CLEAN, duration: 1234567.5 }],
    ['a time with a unit', '<testcase time="1.5s"/>', { ...CLEAN, duration: 1.5 }],
    ['an empty time', '<testcase time=""/>', CLEAN],
  ])('counts %s', (_, cases, expected) => {
    const { junit_results, warnings } = read(`<testsuite name="s">${cases}</testsuite>`)
    expect(junit_results).toEqual([{ name: 's', ...expected }])
    expect(warnings).toEqual([])
  })

  it.each([
    ['failures without a test', 'tests="3" failures="1"', { failures: 1, total: 3 }],
    ['errors without a test', 'tests="1" errors="1"', { errors: 1, total: 1 }],
    ['fewer failures than there are', 'failures="0"', {}],
    ['a duration without tests', 'time="2.5"', { duration: 2.5, total: 0 }],
  ])('believes the higher number if the attributes say %s', (_, attributes, expected) => {
    const { junit_results } = read(`<testsuite ${attributes}/>`)
    expect(junit_results).toEqual([{ ...CLEAN, name: '', total: 0, ...expected }])
  })

  it.each([
    [
      'that no suite has',
      '<testsuites name="all" failures="2"><testsuite failures="1" tests="1"/></testsuites>',
      { name: 'all', failures: 1, total: 1 },
    ],
    [
      'outside of suites',
      '<testsuites errors="1"><testsuite/></testsuites>',
      { name: 'testsuites', errors: 1, total: 1 },
    ],
    [
      'of tests without a suite',
      '<testsuites><testcase time="1"><failure/></testcase></testsuites>',
      { name: 'testsuites', failures: 1, total: 1, duration: 1 },
    ],
  ])('does not lose failures %s', (_, text, expected) => {
    expect(read(text).junit_results.at(-1)).toEqual({ ...CLEAN, ...expected })
  })

  it.each([
    ['2026-01-02T03:04:05', 1_767_323_045],
    ['2026-01-02T03:04:05.999999', 1_767_323_045],
    ['2026-01-02T03:04:05Z', 1_767_323_045],
    ['2026-01-02T03:04:05+00:00', 1_767_323_045],
    ['2026-01-02T04:04:05+0100', 1_767_323_045],
    ['2026-01-02 03:04:05', 1_767_323_045],
    ['', undefined],
  ])('reads the time %s', (timestamp, expected) => {
    expect(read(`<testsuite timestamp="${timestamp}"/>`).junit_results[0]?.timestamp).toBe(expected)
  })

  it.each([
    [
      'timestamp="yesterday"',
      "1.xml, line 1: the timestamp 'yesterday' is not like 2026-01-02T03:04:05Z and is left out.",
    ],
    ['timestamp="2026-02-30T00:00:00Z"', 'is left out'],
    ['time="fast"', "1.xml, line 1: the time 'fast' is not a number of seconds and counts as 0."],
    ['time="1e300"', 'counts as 0'],
  ])('warns of %s, which does not change the verdict', (attribute, warning) => {
    const { junit_results, warnings } = read(`<testsuite ${attribute}/>`)
    expect(junit_results).toEqual([{ ...CLEAN, name: '', total: 0 }])
    expect(warnings).toEqual([expect.stringContaining(warning)])
  })
})

describe('unreadable JUnit', () => {
  it.each([
    ['no suite', ['<project/>', '<a/>'], '1.xml, 2.xml: expected at least one <testsuite>, found none.'],
    ['no file', [], 'JUnit results: expected at least one <testsuite>, found none.'],
    [
      'a broken file among others',
      ['<testsuite/>', '<testsuite>'],
      '2.xml, line 1, column 12: expected well-formed XML',
    ],
    [
      'a number that is none',
      ['<testsuites>\n<testsuite failures="many"/></testsuites>'],
      "1.xml, line 2: expected a number in failures of <testsuite>, found 'many'.",
    ],
    [
      'a negative number',
      ['<testsuite errors="-1"/>'],
      "expected a number in errors of <testsuite>, found '-1'.",
    ],
    [
      'a document type',
      ['<!DOCTYPE testsuite [<!ENTITY a "b">]><testsuite/>'],
      'a document type (<!DOCTYPE) is not accepted',
    ],
    [
      'too many suites',
      [`<testsuites>${'<testsuite/>'.repeat(10_001)}</testsuites>`],
      '1.xml: expected at most 10000 test suites',
    ],
    [
      'too many long names',
      [`<testsuites>${`<testsuite name="${'x'.repeat(2_000)}"/>`.repeat(1_000)}</testsuites>`],
      '1.xml: expected results of at most 983040 bytes',
    ],
  ])('is refused: %s', (_, texts, sentence) => expectProblem(() => read(...texts), sentence))

  it('stops warning after a while', () => {
    const { warnings } = read(`<testsuites>${'<testsuite time="x"/>'.repeat(100)}</testsuites>`)
    expect(warnings).toHaveLength(20)
  })
})
