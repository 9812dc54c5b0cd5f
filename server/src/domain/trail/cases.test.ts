// Runs the golden files in cases/, which write verdicts in short form: `junit COMPLETE false unexpected` is one
// attestation.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseTemplate } from '../template/parse.ts'
import type { Template } from '../template/template.ts'
import {
  type AttestationEvidence,
  type AttestationStatus,
  type BuildStatus,
  evaluateTrail,
  type Reason,
  type TrailEvidence,
  type TrailVerdict,
} from './evaluate.ts'

/** Attestations by name. `is_compliant` is the value in the report itself. */
type Build = Record<string, string> & { is_compliant?: string }

interface Case {
  template: string
  evidence: { attestations?: Record<string, string>; artifacts?: Record<string, Build | Build[]> }
  expected: unknown
}

const CASES = new URL('./cases/', import.meta.url)

describe.each(readdirSync(CASES))('%s', file => {
  const golden = parse(readFileSync(new URL(file, CASES), 'utf8')) as Case

  it('gets the verdict in the file', () => {
    const verdict = evaluateTrail(readTemplate(golden.template), buildEvidence(golden.evidence))
    expect(summarizeVerdict(verdict)).toEqual(golden.expected)
    expect(verdict.is_compliant).toBe(verdict.status === 'COMPLIANT')
    expect(verdict.reasons.length > 0).toBe(!verdict.is_compliant)
  })
})

function readTemplate(yaml: string): Template {
  const parsed = parseTemplate(yaml)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.template
}

function buildEvidence(given: Case['evidence']): TrailEvidence {
  const buildReports = (byName: Record<string, string>): AttestationEvidence[] =>
    Object.entries(byName).map(([name, text]) => {
      const [type = '', verdict] = text.split(' ')
      return {
        attestation_id: `id of ${name}`,
        attestation_name: name,
        attestation_type: type,
        is_compliant: verdict === 'true',
        overridden_attestation_id: null,
      }
    })
  return {
    attestations: buildReports(given.attestations ?? {}),
    // A list has all builds of a name in the order of their reports.
    artifacts: Object.entries(given.artifacts ?? {}).flatMap(([name, builds]) =>
      [builds].flat().map(({ is_compliant, ...attestations }, i) => ({
        template_reference_name: name,
        artifact_fingerprint: `fingerprint ${i} of ${name}`,
        artifact_id: `id ${i} of ${name}`,
        report_id: `report ${i}`,
        is_declared_compliant: is_compliant === undefined ? null : is_compliant === 'true',
        reported_by: 'max',
        attestations: buildReports(attestations as Record<string, string>),
      })),
    ),
  }
}

// A verdict in the format of the golden files.
function summarizeVerdict(verdict: TrailVerdict): unknown {
  const artifacts = Object.entries(verdict.artifacts_statuses).map(([name, artifact]) => [
    name,
    {
      status: artifact.status,
      attestations: summarizeAttestations(artifact.attestations_statuses),
      ...(artifact.unexpected ? { unexpected: true } : {}),
      ...(artifact.reasons.length > 0 ? { reasons: artifact.reasons.map(summarizeReason) } : {}),
      ...(artifact.earlier_builds.length > 0
        ? { earlier_builds: artifact.earlier_builds.map(summarizeBuild) }
        : {}),
    },
  ])
  return {
    status: verdict.status,
    attestations: summarizeAttestations(verdict.attestations_statuses),
    artifacts: Object.fromEntries(artifacts),
    reasons: verdict.reasons.map(summarizeReason),
  }
}

function summarizeBuild({ artifact_fingerprint, status, reasons }: BuildStatus): string {
  return [artifact_fingerprint, status, ...reasons.map(summarizeReason)].join(', ')
}

function summarizeAttestations(statuses: AttestationStatus[]): Record<string, string | string[]> {
  const names = new Set(statuses.map(status => status.attestation_name))
  return Object.fromEntries(
    [...names].map(name => {
      const rows = statuses.filter(status => status.attestation_name === name)
      const lines = rows.map(row =>
        [row.attestation_type, row.status, row.is_compliant ?? '', row.unexpected ? 'unexpected' : '']
          .filter(word => word !== '')
          .join(' '),
      )
      return [name, lines.length === 1 ? (lines[0] ?? '') : lines]
    }),
  )
}

function summarizeReason(reason: Reason): string {
  const on = reason.template_reference_name === undefined ? [] : [`on ${reason.template_reference_name}`]
  return [reason.rule, ...(reason.attestation_name ? [reason.attestation_name] : []), ...on].join(' ')
}
