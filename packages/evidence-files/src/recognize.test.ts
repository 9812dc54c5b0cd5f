import { describe, expect, it } from 'vitest'
import { expectProblem, listFixtures, openText, readFixture } from './fixtures.testing.ts'
import {
  type EvidenceFormat,
  type EvidenceKind,
  expectKind,
  recognizeEvidence,
  recognizeFile,
} from './index.ts'

const FORMATS: Record<string, [EvidenceFormat, EvidenceKind] | undefined> = {
  'cobertura.xml': ['cobertura', 'cobertura'],
  'ctrf.json': ['ctrf', 'ctrf'],
  'cyclonedx.json': ['cyclonedx-json', 'sbom'],
  'cyclonedx.xml': ['cyclonedx-xml', 'sbom'],
  'document.spdx': ['spdx-tag-value', 'sbom'],
  'gitleaks.json': ['gitleaks', 'gitleaks'],
  'grype.json': ['grype', 'grype'],
  'junit-nested.xml': ['junit', 'junit'],
  'junit-suites.xml': ['junit', 'junit'],
  'report-task.txt': ['sonar-report-task', 'sonar'],
  'semgrep.sarif': ['sarif', 'sarif'],
  'snyk.json': ['snyk-json', 'snyk'],
  'snyk.sarif': ['snyk-sarif', 'snyk'],
  'sonar-quality-gate.json': ['sonar-quality-gate', 'sonar'],
  'sonar-task.json': undefined,
  'spdx.json': ['spdx-json', 'sbom'],
  'trivy.json': ['trivy', 'trivy'],
}

const recognize = (text: string, name = 'x') => recognizeEvidence(Buffer.from(text), name)

describe('a file', () => {
  it('of every format is among the fixtures', () => expect(Object.keys(FORMATS)).toEqual(listFixtures()))

  it.each(Object.entries(FORMATS))('%s is recognized', (name, expected) => {
    const [format, kind] = expected ?? []
    const candidates = format === undefined ? [] : [format]
    expect(recognizeFile(readFixture(name))).toEqual({ format, kind, candidates, problem: undefined })
  })

  it('is recognized by its content, whatever its name', () => {
    const { content } = readFixture('trivy.json')
    expect(recognizeEvidence(content, 'junit.xml').format).toBe('trivy')
  })

  it.each([
    [
      'an SBOM in two formats',
      '{"bomFormat": "CycloneDX", "spdxVersion": "SPDX-2.3"}',
      ['cyclonedx-json', 'spdx-json'],
    ],
    [
      'a scan by two scanners',
      '{"SchemaVersion": 2, "ArtifactName": "x", "matches": [], "descriptor": {}}',
      ['grype', 'trivy'],
    ],
    [
      'two plain formats',
      'SPDXVersion: SPDX-2.3\nceTaskId=1\nprojectKey=2\n',
      ['spdx-tag-value', 'sonar-report-task'],
    ],
  ])('that fits two formats is none of them: %s', (_, text, candidates) => {
    expect(recognize(text)).toEqual({ format: undefined, kind: undefined, candidates, problem: undefined })
  })

  it.each([
    '',
    ' ',
    'hello',
    '{}',
    '[]',
    'null',
    '[[]]',
    '"text"',
    '<html/>',
    '<bom/>',
    '{"version": 1, "runs": 2}',
    '\0\0',
  ])('of another format is not recognized: %j', text =>
    expect(recognize(text)).toMatchObject({ format: undefined, candidates: [], problem: undefined }),
  )

  it.each([
    ['{"a":', 'x, line 1, column 6: expected a value, found the end of the file.'],
    ['<a', 'x: expected an XML element.'],
    ['<!DOCTYPE a [<!ENTITY b "c">]><testsuite/>', 'declarations in the document type are not accepted'],
  ])('that cannot be read says why: %s', (text, problem) => {
    expect(recognize(text)).toMatchObject({ candidates: [], problem: expect.stringContaining(problem) })
  })

  it('with an XML encoding is recognized', () => {
    const text = '\ufeff<?xml version="1.0" encoding="utf-16"?><testsuite/>'
    expect(recognizeEvidence(Buffer.from(text, 'utf16le'), 'x').format).toBe('junit')
    expect(recognizeEvidence(Buffer.from(text, 'utf16le').swap16(), 'x').format).toBe('junit')
    expect(recognize('\ufeff {"bomFormat": "CycloneDX"}').format).toBe('cyclonedx-json')
  })
})

describe('a file for one kind of attestation', () => {
  it.each([
    ['sarif', 'semgrep.sarif'],
    ['sarif', 'snyk.sarif'],
    ['snyk', 'snyk.sarif'],
    ['sbom', 'document.spdx'],
  ] as const)('of %s may be %s', (kind, name) => expectKind(readFixture(name), kind))

  it.each([
    [
      'trivy',
      readFixture('grype.json'),
      'expected a file for attest trivy, found grype. Record it with attest grype.',
    ],
    ['snyk', readFixture('semgrep.sarif'), 'found sarif. Record it with attest sarif.'],
    ['sarif', openText('x', '{"kics_version": "2"}'), 'found a KICS report, which is not read.'],
    ['junit', openText('x', '<TestRun/>'), 'found TRX, which is not read.'],
    ['cobertura', openText('x', 'TN:\nSF:a.c\n'), 'found LCOV, which is not read.'],
  ] as const)('of %s is refused if it is another: %#', (kind, file, sentence) =>
    expectProblem(() => expectKind(file, kind), sentence),
  )

  it('is left to the reader if nothing recognizes it', () => expectKind(openText('x', '[]'), 'gitleaks'))
})
