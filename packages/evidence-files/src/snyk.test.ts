import { describe, expect, it } from 'vitest'
import { changeFixture, expectProblem, readFixture, toJson } from './fixtures.testing.ts'
import { readSnyk } from './index.ts'

const readProject = (project: unknown) => readSnyk(toJson('snyk.json', project))
const ISSUE = { id: 'S-1', title: 'x', severity: 'high', packageName: 'p', version: '1' }

describe('a scan by Snyk', () => {
  it('is read from SARIF, run by run', () => {
    expect(readSnyk(readFixture('snyk.sarif'))).toEqual({
      snyk_results: {
        schema_version: 1,
        tool: { name: 'Snyk Open Source', version: '1.1300.0' },
        results: [
          {
            high_count: 1,
            medium_count: 1,
            low_count: 1,
            high: [
              {
                id: 'SNYK-JS-EXAMPLE-1',
                message: 'Prototype pollution',
                locations: [{ uri: 'package.json', lines: '1' }],
                priority_score: 640,
              },
            ],
            medium: [{ id: 'SNYK-JS-EXAMPLE-2', message: 'ReDoS' }],
            low: [{ id: 'SNYK-JS-EXAMPLE-3', message: 'Open redirect' }],
          },
          { high_count: 0, medium_count: 0, low_count: 0 },
        ],
      },
      truncated: 0,
    })
  })

  it("is read from Snyk's own JSON, each vulnerability once", () => {
    const locations = [{ uri: 'package-lock.json' }]
    expect(readSnyk(readFixture('snyk.json'))).toEqual({
      snyk_results: {
        schema_version: 1,
        tool: { name: 'Snyk' },
        results: [
          {
            high_count: 1,
            medium_count: 0,
            low_count: 1,
            high: [{ id: 'SNYK-JS-EXAMPLE-1', message: 'Prototype pollution', locations }],
            low: [{ id: 'SNYK-JS-EXAMPLE-2', message: 'Open redirect', locations }],
          },
        ],
      },
      truncated: 0,
    })
  })

  it.each([
    ['an accepted finding', { suppressions: [{ kind: 'external' }], level: 'error' }, [1, 0, 0]],
    ['a finding without a level', {}, [0, 1, 0]],
    ['a finding of no level', { level: 'none' }, [0, 0, 0]],
    ['a level outside the standard', { level: 'info' }, [0, 0, 1]],
  ])('counts %s', (_, result, counts) => {
    const runs = [{ tool: { driver: { name: 'Snyk Code' } }, results: [result] }]
    const [run] = readSnyk(toJson('a.sarif', { version: '2.1.0', runs })).snyk_results.results
    expect([run?.high_count, run?.medium_count, run?.low_count]).toEqual(counts)
  })

  it('is read for several projects, and for infrastructure', () => {
    const code = {
      ok: false,
      infrastructureAsCodeIssues: [{ ...ISSUE, severity: 'medium', path: ['a', 'b'] }],
    }
    const projects = [{ ok: true, vulnerabilities: [] }, code]
    expect(readProject(projects).snyk_results.results).toEqual([
      { high_count: 0, medium_count: 0, low_count: 0 },
      { high_count: 0, medium_count: 1, low_count: 0, medium: [{ id: 'S-1', message: 'x' }] },
    ])
  })

  it('is read for an image, with the applications in it', () => {
    const application = {
      ok: false,
      targetFile: 'app/package.json',
      vulnerabilities: [{ ...ISSUE, severity: 'critical' }],
    }
    const image = {
      ok: false,
      vulnerabilities: [],
      applications: [application, { ok: true, vulnerabilities: [] }],
    }
    expect(readProject(image).snyk_results.results).toEqual([
      { high_count: 0, medium_count: 0, low_count: 0 },
      {
        high_count: 1,
        medium_count: 0,
        low_count: 0,
        high: [{ id: 'S-1', message: 'x', locations: [{ uri: 'app/package.json' }] }],
      },
      { high_count: 0, medium_count: 0, low_count: 0 },
    ])
  })

  it('counts the worse of level and security severity', () => {
    const rules = [{ id: 'r', properties: { 'security-severity': '9.1' } }]
    const runs = [
      { tool: { driver: { name: 'Snyk Open Source', rules } }, results: [{ ruleId: 'r', level: 'warning' }] },
    ]
    const [run] = readSnyk(toJson('a.sarif', { version: '2.1.0', runs })).snyk_results.results
    expect(run).toMatchObject({ high_count: 1, medium_count: 0 })
  })

  it('lists the worst findings if there are too many, and counts all', () => {
    const few = Array.from({ length: 3 }, (_, i) => ({ ...ISSUE, id: `high-${i}` }))
    const many = Array.from({ length: 3_000 }, (_, i) => ({
      ...ISSUE,
      id: `low-${i}`,
      title: 'x'.repeat(500),
      severity: 'low',
    }))
    const { snyk_results, truncated } = readProject({ ok: false, vulnerabilities: [...many, ...few] })
    const [run] = snyk_results.results
    expect(run).toMatchObject({ high_count: 3, low_count: 3_000 })
    expect(run?.high).toHaveLength(3)
    expect((run?.low?.length ?? 0) + truncated).toBe(3_000)
    expect(truncated).toBeGreaterThan(0)
    expect(Buffer.byteLength(JSON.stringify(snyk_results))).toBeLessThan(600 * 1024)
  })
})

describe('an unreadable scan by Snyk', () => {
  it.each([
    [
      'an error',
      { ok: false, error: 'Authentication failed', path: '/build' },
      '$: expected a finished scan; Snyk reports: Authentication failed',
    ],
    [
      'an error in one of several projects',
      [
        { ok: true, vulnerabilities: [] },
        { ok: false, error: 'no' },
      ],
      '$[1]: expected a finished scan',
    ],
    [
      'no list',
      { ok: true },
      '$.vulnerabilities: expected the vulnerabilities, empty if there are none (a list), found nothing.',
    ],
    ['no project', [], '$: expected at least one project, found a list.'],
    [
      'a contradiction',
      { ok: false, vulnerabilities: [] },
      '$.ok: expected a vulnerability in a test that did not pass, found false.',
    ],
    [
      'an unknown severity',
      { ok: false, vulnerabilities: [{ ...ISSUE, severity: 'huge' }] },
      "$.vulnerabilities[0].severity: expected one of critical, high, medium, low, found 'huge'.",
    ],
    [
      'no id',
      { ok: false, vulnerabilities: [{ severity: 'low' }] },
      '$.vulnerabilities[0].id: expected the id of the vulnerability (text), found nothing.',
    ],
    ['a number', 7, '$: expected a project that Snyk tested (an object), found 7.'],
  ])('is refused: %s', (_, project, sentence) => {
    expectProblem(() => readProject(project), `snyk.json, ${sentence}`)
  })

  it('is refused as SARIF with the same messages as other SARIF', () => {
    expectProblem(() => readSnyk(changeFixture('snyk.sarif', '"2.1.0"', '"1.0.0"')), 'snyk.sarif, $.version')
  })
})
