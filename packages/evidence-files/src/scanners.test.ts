import { describe, expect, it } from 'vitest'
import { changeFixture, expectProblem, openText, readFixture, toJson } from './fixtures.testing.ts'
import { readGitleaks, readGrype, readTrivy } from './index.ts'

const NONE = { critical: 0, high: 0, medium: 0, low: 0, negligible: 0, unknown: 0 }

describe('Trivy', () => {
  it('is summarized, the worst findings first and without secrets', () => {
    const image = 'registry.acme.example/backend:1.4.0'
    const summary = readTrivy(readFixture('trivy.json'))
    expect(summary).toEqual({
      tool: 'trivy',
      tool_version: '0.69.1',
      artifact_name: image,
      artifact_type: 'container_image',
      targets: 5,
      counts: { ...NONE, critical: 1, high: 2, medium: 1, unknown: 1 },
      total: 5,
      suppressed: 1,
      findings: [
        {
          id: 'aws-access-key-id',
          severity: 'critical',
          title: 'AWS Access Key ID',
          location: 'app/config.yml',
        },
        {
          id: 'CVE-2026-0001',
          severity: 'high',
          title: 'openssl: example',
          package: 'libssl3',
          version: '3.0.15-1',
          fixed_version: '3.0.16-1',
          location: `${image} (debian 12.9)`,
        },
        { id: 'DS002', severity: 'high', title: 'The last user is root', location: 'Dockerfile' },
        { id: 'GPL-3.0', severity: 'medium', package: 'bash', location: 'OS Packages' },
        {
          id: 'CVE-2026-0002',
          severity: 'unknown',
          package: 'zlib1g',
          version: '1.2',
          location: `${image} (debian 12.9)`,
        },
      ],
      truncated: 0,
    })
    expect(JSON.stringify(summary)).not.toContain('hunter2')
  })

  it.each([
    ['no results', {}],
    ['results that are null', { Results: null }],
    ['no findings', { Results: [{ Target: 'x', Vulnerabilities: null }] }],
  ])('has nothing to report with %s', (_, rest) => {
    const file = toJson('a.json', { SchemaVersion: 2, ArtifactName: 'x', ...rest })
    expect(readTrivy(file)).toMatchObject({ tool_version: null, counts: NONE, total: 0, findings: [] })
  })

  it.each([
    [
      'another version',
      '"SchemaVersion": 2',
      '"SchemaVersion": 1',
      '$.SchemaVersion: expected version 2 of the format, found 1.',
    ],
    [
      'no artifact',
      '"ArtifactName"',
      '"Name"',
      '$.ArtifactName: expected the name of the artifact (text), found nothing.',
    ],
    [
      'findings that are no list',
      '"Secrets": [',
      '"Secrets": 1, "x": [',
      '$.Results[2].Secrets: expected findings (a list), found 1.',
    ],
    [
      'no id',
      '"VulnerabilityID": "CVE-2026-0001"',
      '"ID": "x"',
      '$.Results[0].Vulnerabilities[0].VulnerabilityID: expected the id of the vulnerability (text), found nothing.',
    ],
    [
      'a severity that is no text',
      '"UNKNOWN"',
      '4',
      '$.Results[0].Vulnerabilities[1].Severity: expected a value (text), found 4.',
    ],
  ])('is refused: %s', (_, find, replace, sentence) => {
    expectProblem(() => readTrivy(changeFixture('trivy.json', find, replace)), `trivy.json, ${sentence}`)
  })

  it('counts an unrecognized severity as unknown', () => {
    const { counts } = readTrivy(changeFixture('trivy.json', '"CRITICAL"', '"APOCALYPTIC"'))
    expect(counts).toMatchObject({ critical: 0, unknown: 2 })
  })
})

describe('Grype', () => {
  it('is summarized', () => {
    expect(readGrype(readFixture('grype.json'))).toEqual({
      tool: 'grype',
      tool_version: '0.92.0',
      counts: { ...NONE, critical: 1, negligible: 1 },
      total: 2,
      suppressed: 1,
      findings: [
        {
          id: 'GHSA-xxxx-yyyy-zzzz',
          severity: 'critical',
          title: 'Remote code execution',
          package: 'log4j-core',
          version: '2.14.0',
          fixed_version: '2.17.1, 2.12.4',
          location: '/app/app.jar',
        },
        { id: 'CVE-2026-0003', severity: 'negligible', package: 'bash', version: '5.2' },
      ],
      truncated: 0,
    })
  })

  it.each([
    [
      'another tool',
      '"name": "grype"',
      '"name": "syft"',
      "$.descriptor.name: expected 'grype', found 'syft'.",
    ],
    [
      'no matches',
      '"matches"',
      '"results"',
      '$.matches: expected the matches, empty if there are none (a list), found nothing.',
    ],
    [
      'no id',
      '"id": "GHSA-xxxx-yyyy-zzzz"',
      '"id": 1',
      '$.matches[0].vulnerability.id: expected the id of the vulnerability (text), found 1.',
    ],
    [
      'a fix that is no list',
      '["2.17.1", "2.12.4"]',
      '"2.17.1"',
      "$.matches[0].vulnerability.fix.versions: expected the fixed versions (a list), found '2.17.1'.",
    ],
  ])('is refused: %s', (_, find, replace, sentence) => {
    expectProblem(() => readGrype(changeFixture('grype.json', find, replace)), `grype.json, ${sentence}`)
  })
})

describe('Gitleaks', () => {
  it('is summarized without the secrets and without people', () => {
    const summary = readGitleaks(readFixture('gitleaks.json'))
    expect(summary).toEqual({
      tool: 'gitleaks',
      tool_version: null,
      counts: { leak: 1 },
      total: 1,
      is_redacted: false,
      findings: [
        {
          id: 'generic-api-key',
          severity: 'leak',
          title: 'Detected a Generic API Key',
          location: '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1:config/dev.toml:20',
        },
      ],
      truncated: 0,
    })
    expect(JSON.stringify(summary)).not.toMatch(/hunter2|Mira|mira/)
  })

  it.each([
    ['"Secret": "REDACTED"', true],
    ['"Secret": "***"', true],
    ['"Secret": ""', true],
    ['"Secret": "REDACTED?"', false],
  ])('says whether the report names secrets: %s', (secret, is_redacted) => {
    const file = changeFixture('gitleaks.json', '"Secret": "hunter2-hunter2"', secret)
    expect(readGitleaks(file).is_redacted).toBe(is_redacted)
  })

  it('has nothing to report in an empty list', () => {
    expect(readGitleaks(openText('a.json', '[]'))).toMatchObject({
      total: 0,
      is_redacted: true,
      findings: [],
    })
  })

  it.each([
    ['null', '$: expected a list of leaks, empty if there are none (a list), found null.'],
    ['{}', '$: expected a list of leaks, empty if there are none (a list), found an object.'],
    ['[1]', '$[0]: expected a leak (an object), found 1.'],
    ['[{"RuleID": "x"}]', '$[0].File: expected the file (text), found nothing.'],
  ])('is refused: %s', (text, sentence) => {
    expectProblem(() => readGitleaks(openText('a.json', text)), `a.json, ${sentence}`)
  })
})
