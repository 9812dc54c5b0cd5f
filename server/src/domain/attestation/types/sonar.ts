// The type `sonar`: a static analysis. It is stored as the Sonar server returns it.
import { Type } from 'typebox'
import { about, Described, Open, WebAddressOrEmpty } from '../../schema.ts'
import { type AttestationVerdict, defineAttestationType, EXAMPLE_COMMIT_INFO } from '../define-type.ts'

const QUALITY_GATE_PASSED = 'OK'

const QualityGate = Type.Unsafe<({ status: string } & Record<string, unknown>) | null>({
  type: ['object', 'null'],
  properties: { status: { type: 'string', ...about('Status of the quality gate; `OK` if it passed', 'OK') } },
  required: ['status'],
  additionalProperties: true,
  title: 'SonarQualityGate',
  ...about('The quality gate, which decides the verdict'),
})

const SonarProject = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  properties: {
    url: Described(
      WebAddressOrEmpty,
      'URL of the project',
      'https://quality.example.com/dashboard?id=backend',
    ),
  },
  additionalProperties: true,
  title: 'SonarProject',
  ...about('The analysed project: key, name and url'),
})

export const sonar = defineAttestationType({
  name: 'sonar',
  subject: 'a static analysis',
  summary: 'Compliant when `qualityGate.status` is `OK`',
  fields: {
    sonar_results: Open(
      'SonarResults',
      {
        serverUrl: Type.Optional(
          Described(WebAddressOrEmpty, 'URL of the Sonar server', 'https://quality.example.com'),
        ),
        project: Type.Optional(SonarProject),
        qualityGate: Type.Optional(QualityGate),
      },
      'The analysis as the Sonar server returns it: serverUrl, taskId, status, analysedAt, revision, project, branch, ' +
        'pullRequest and qualityGate. Stored as sent; the verdict depends on the quality gate.',
    ),
  },
  evaluate: ({ sonar_results }) => evaluateQualityGate(sonar_results.qualityGate?.status),
  example: {
    attestation_name: 'static-analysis',
    sonar_results: {
      serverUrl: 'https://sonar.acme.example',
      taskId: 'AZcB3kq1',
      status: 'SUCCESS',
      analysedAt: '2026-03-03T10:15:30+0000',
      revision: EXAMPLE_COMMIT_INFO.sha1,
      project: { key: 'backend', name: 'Backend', url: 'https://sonar.acme.example/dashboard?id=backend' },
      branch: { name: 'main', type: 'LONG' },
      qualityGate: {
        status: 'OK',
        conditions: [
          {
            metric: 'new_coverage',
            errorThreshold: '80',
            operator: 'LESS_THAN',
            value: '91.2',
            status: 'OK',
          },
        ],
      },
    },
  },
  command: { sonar_results: 'YOUR_ANALYSIS' },
  arguments: ['sonar', '--sonar-working-dir', 'YOUR_SCANNER_FOLDER'],
})

function evaluateQualityGate(status: string | undefined): AttestationVerdict {
  return {
    is_compliant: status === QUALITY_GATE_PASSED,
    expected: `quality gate ${QUALITY_GATE_PASSED}`,
    found: status === undefined ? 'no quality gate' : `quality gate ${status}`,
  }
}
