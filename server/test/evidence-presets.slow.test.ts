// The results of packages/evidence-files as the server sees them: every request body is accepted, every preset makes
// a custom attestation type, and the verdict on a report is correct.
import { readFileSync } from 'node:fs'
import {
  findPreset,
  openEvidence,
  PRESETS,
  readCobertura,
  readCtrf,
  readGitleaks,
  readGrype,
  readJunit,
  readSarif,
  readSbom,
  readSnyk,
  readSonar,
  readTrivy,
} from '@waybill/evidence-files'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from './harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.form('PUT', '/flows/acme/template_file', {
    data_json: JSON.stringify({ name: 'ci', description: '' }),
    template_file: makeFile('version: 1\n'),
  })
  await app.member.put('/trails/acme/ci', { name: 'run' })
})
afterAll(() => app.stop())

const readFixture = (name: string) =>
  openEvidence(name, readFileSync(new URL(`../../packages/evidence-files/fixtures/${name}`, import.meta.url)))
const openJson = (value: unknown) => openEvidence('a.json', Buffer.from(JSON.stringify(value)))
const openText = (text: string) => openEvidence('a.xml', Buffer.from(text))

/** Reports an attestation and returns it as the server stored it. */
async function attest(kind: string, name: string, body: object): Promise<Record<string, unknown>> {
  const sent = await app.member.post(`${TRAIL}/${kind}`, { attestation_name: name, ...body })
  expect(sent).toMatchObject({ status: 201 })
  const [stored] = (await app.reader.get(`${TRAIL}/${name}`)).body
  return stored
}
const TRAIL = '/attestations/acme/ci/trail/run'

const CLEAN_TRIVY = { SchemaVersion: 2, ArtifactName: 'x', Results: [{ Target: 'x (alpine 3.20)' }] }

describe('a built-in attestation', () => {
  const green = '<testsuite name="s" tests="1"><testcase name="x" time="0.5"/></testsuite>'
  const report_task = readFixture('report-task.txt')
  const red_gate = readFixture('sonar-quality-gate.json')
  const green_gate = openJson({ projectStatus: { status: 'OK', conditions: [] } })
  it.each<[string, string, () => object, boolean]>([
    ['junit', 'failed', () => pickResults(readJunit([readFixture('junit-suites.xml')])), false],
    ['junit', 'nested', () => pickResults(readJunit([readFixture('junit-nested.xml')])), false],
    ['junit', 'passed', () => pickResults(readJunit([openText(green)])), true],
    ['snyk', 'sarif', () => pickScan(readSnyk(readFixture('snyk.sarif'))), false],
    ['snyk', 'own', () => pickScan(readSnyk(readFixture('snyk.json'))), false],
    ['snyk', 'clean', () => pickScan(readSnyk(openJson({ ok: true, vulnerabilities: [] }))), true],
    [
      'sonar',
      'red',
      () => readSonar({ report_task, quality_gate: red_gate, task: readFixture('sonar-task.json') }),
      false,
    ],
    ['sonar', 'green', () => readSonar({ report_task, quality_gate: green_gate }), true],
    ['system', 'cyclonedx-json', () => readSbom(readFixture('cyclonedx.json')), true],
    ['system', 'cyclonedx-xml', () => readSbom(readFixture('cyclonedx.xml')), true],
    ['system', 'spdx-json', () => readSbom(readFixture('spdx.json')), true],
    ['system', 'spdx-tag-value', () => readSbom(readFixture('document.spdx')), true],
  ])('%s of %s is accepted as it is', async (kind, name, read, is_compliant) => {
    const body = read()
    const stored = await attest(kind, `${kind}-${name}`, body)
    expect(stored.is_compliant).toBe(is_compliant)
    const [[field, sent] = ['', undefined]] = Object.entries(body).filter(([key]) => key !== 'type_name')
    expect(stored[field === 'snyk_results' ? 'processed_snyk_results' : field]).toEqual(sent)
  })

  const pickResults = ({ junit_results }: ReturnType<typeof readJunit>) => ({ junit_results })
  const pickScan = ({ snyk_results }: ReturnType<typeof readSnyk>) => ({ snyk_results })

  it('with ten thousand suites or a hundred thousand findings fits into a request', async () => {
    const suites = '<testsuite name="s" timestamp="2026-01-02T03:04:05"/>'.repeat(10_000)
    const { junit_results } = readJunit([openText(`<testsuites>${suites}</testsuites>`)])
    expect((await attest('junit', 'many-suites', { junit_results })).junit_results).toHaveLength(10_000)
    const severity = 'low'
    const vulnerabilities = Array.from({ length: 100_000 }, (_, i) => ({
      id: `V-${i}`,
      title: 'x'.repeat(99),
      severity,
    }))
    const { snyk_results } = readSnyk(openJson({ ok: false, vulnerabilities }))
    expect(await attest('snyk', 'many-findings', { snyk_results })).toMatchObject({
      processed_snyk_results: { results: [{ low_count: 100_000 }] },
      is_compliant: false,
    })
  })
})

describe('a preset', () => {
  beforeAll(async () => {
    for (const { name, description, schema, rules, summary } of PRESETS) {
      const evaluator = { content_type: 'jq', rules }
      const type = { name, description, type_schema: schema, evaluator, summary }
      expect(await app.member.post('/custom-attestation-types/acme', type)).toMatchObject({ status: 201 })
    }
  })
  const DRIVER = { driver: { name: 'lint' } }
  const readRun = (run: object) => readSarif(openJson({ version: '2.1.0', runs: [{ tool: DRIVER, ...run }] }))
  const readMatch = (severity: string) => {
    const matches = [{ vulnerability: { id: 'x', severity }, artifact: {} }]
    return readGrype(openJson({ matches, descriptor: { name: 'grype' } }))
  }
  const readTests = (tests: number, failed: number) =>
    readCtrf(openJson({ results: { tool: { name: 'x' }, summary: { tests, failed }, tests: [] } }))
  const readCoverage = (rate: string, lines: number) =>
    readCobertura(openText(`<coverage line-rate="${rate}" lines-valid="${lines}" lines-covered="0"/>`))

  it.each<[string, string, () => object, boolean]>([
    ['trivy', 'findings', () => readTrivy(readFixture('trivy.json')), false],
    ['trivy', 'nothing to scan', () => readTrivy(openJson({ SchemaVersion: 2, ArtifactName: 'x' })), false],
    ['trivy', 'nothing', () => readTrivy(openJson(CLEAN_TRIVY)), true],
    ['grype', 'findings', () => readGrype(readFixture('grype.json')), false],
    ['grype', 'a high finding', () => readMatch('High'), false],
    ['grype', 'an unrated finding', () => readMatch('Unknown'), false],
    ['grype', 'a finding with a new severity', () => readMatch('Apocalyptic'), false],
    ['grype', 'a medium finding', () => readMatch('Medium'), true],
    ['grype', 'a negligible finding', () => readMatch('Negligible'), true],
    ['sarif', 'findings', () => readSarif(readFixture('semgrep.sarif')), false],
    ['sarif', 'a warning', () => readRun({ results: [{ level: 'warning' }] }), true],
    ['sarif', 'an unrated finding', () => readRun({ results: [{}] }), false],
    [
      'sarif',
      'a tool that failed',
      () => readRun({ results: [], invocations: [{ executionSuccessful: false }] }),
      false,
    ],
    ['ctrf', 'a failed test', () => readCtrf(readFixture('ctrf.json')), false],
    ['ctrf', 'passed tests', () => readTests(3, 0), true],
    ['ctrf', 'failures of which it lists none', () => readTests(3, 1), false],
    ['ctrf', 'no tests', () => readTests(0, 0), false],
    ['cobertura', 'little coverage', () => readCobertura(readFixture('cobertura.xml')), false],
    ['cobertura', 'just enough coverage', () => readCoverage('0.8', 10), true],
    ['cobertura', 'full coverage of nothing', () => readCoverage('1', 0), false],
    ['gitleaks', 'a leak', () => readGitleaks(readFixture('gitleaks.json')), false],
    ['gitleaks', 'no leak', () => readGitleaks(openJson([])), true],
  ])('%s evaluates %s', async (type_name, what, read, is_compliant) => {
    const attestation_data = read()
    const name = `${type_name}-${what.replaceAll(' ', '-')}`
    const stored = await attest('custom', name, { type_name, attestation_data })
    expect(stored).toMatchObject({ attestation_type: `custom:${type_name}`, attestation_data, is_compliant })
    // Every displayed value exists.
    const rows = (stored.summary as { problem?: string; values: unknown[] }[][]).flat()
    expect(rows).toHaveLength(findPreset(type_name)?.summary.length ?? 0)
    expect(rows.filter(({ problem }) => problem !== undefined)).toEqual([])
  })

  it.each(PRESETS.map(({ name }) => name))('%s refuses other data', async type_name => {
    const good: Record<string, () => object> = {
      trivy: () => readTrivy(readFixture('trivy.json')),
      grype: () => readGrype(readFixture('grype.json')),
      sarif: () => readSarif(readFixture('semgrep.sarif')),
      ctrf: () => readCtrf(readFixture('ctrf.json')),
      cobertura: () => readCobertura(readFixture('cobertura.xml')),
      gitleaks: () => readGitleaks(readFixture('gitleaks.json')),
    }
    const data = good[type_name]?.() ?? {}
    const { truncated: _, ...incomplete } = data as Record<string, unknown>
    const wrong = [
      {},
      [],
      incomplete,
      { ...data, truncated: -1 },
      { ...data, other: 1 },
      { ...data, findings: [{}] },
    ]
    for (const attestation_data of wrong) {
      const body = { attestation_name: 'wrong', type_name, attestation_data }
      expect(await app.member.post(`${TRAIL}/custom`, body)).toMatchObject({ status: 400 })
    }
  })

  it('evaluates a report with many long findings', async () => {
    const text = '\u20ac'.repeat(600)
    const finding = {
      VulnerabilityID: text,
      PkgName: text,
      Title: text,
      InstalledVersion: text,
      Severity: 'LOW',
    }
    const Results = [{ Target: 'x', Vulnerabilities: new Array(2_000).fill(finding) }]
    const attestation_data = readTrivy(openJson({ SchemaVersion: 2, ArtifactName: 'x', Results }))
    const stored = await attest('custom', 'trivy-many', { type_name: 'trivy', attestation_data })
    expect(stored).toMatchObject({ is_compliant: true, attestation_data: { total: 2_000 } })
  })
})
