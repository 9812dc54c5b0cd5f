// Runs the golden files in cases/, which say verdicts in short: `junit COMPLETE false unexpected` is one attestation.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseTemplate } from '../template/parse.ts'
import type { Template } from '../template/template.ts'
import {
  type AttestationEvidence,
  type AttestationStatus,
  type BuildStatus,
  judgeTrail,
  type Reason,
  type TrailEvidence,
  type TrailVerdict,
} from './judge.ts'

/** Attestations by name. `is_compliant` is what the report itself says. */
type Build = Record<string, string> & { is_compliant?: string }

interface Case {
  template: string
  evidence: { attestations?: Record<string, string>; artifacts?: Record<string, Build | Build[]> }
  expected: unknown
}

const CASES = new URL('./cases/', import.meta.url)

describe.each(readdirSync(CASES))('%s', file => {
  const golden = parse(readFileSync(new URL(file, CASES), 'utf8')) as Case

  it('is judged as the file says', () => {
    const verdict = judgeTrail(templateOf(golden.template), evidenceOf(golden.evidence))
    expect(shown(verdict)).toEqual(golden.expected)
    expect(verdict.is_compliant).toBe(verdict.status === 'COMPLIANT')
    expect(verdict.reasons.length > 0).toBe(!verdict.is_compliant)
  })
})

function templateOf(yaml: string): Template {
  const parsed = parseTemplate(yaml)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.template
}

function evidenceOf(given: Case['evidence']): TrailEvidence {
  const reports = (byName: Record<string, string>): AttestationEvidence[] =>
    Object.entries(byName).map(([name, said]) => {
      const [type = '', verdict] = said.split(' ')
      return {
        attestation_id: `id of ${name}`,
        attestation_name: name,
        attestation_type: type,
        is_compliant: verdict === 'true',
        overridden_attestation_id: null,
      }
    })
  return {
    attestations: reports(given.attestations ?? {}),
    // A list has the builds of a name in the order in which they were reported.
    artifacts: Object.entries(given.artifacts ?? {}).flatMap(([name, builds]) =>
      [builds].flat().map(({ is_compliant, ...attestations }, i) => ({
        template_reference_name: name,
        artifact_fingerprint: `fingerprint ${i} of ${name}`,
        artifact_id: `id ${i} of ${name}`,
        report_id: `report ${i}`,
        is_declared_compliant: is_compliant === undefined ? null : is_compliant === 'true',
        reported_by: 'max',
        attestations: reports(attestations as Record<string, string>),
      })),
    ),
  }
}

// A verdict as the golden files write it.
function shown(verdict: TrailVerdict): unknown {
  const artifacts = Object.entries(verdict.artifacts_statuses).map(([name, artifact]) => [
    name,
    {
      status: artifact.status,
      attestations: shownAttestations(artifact.attestations_statuses),
      ...(artifact.unexpected ? { unexpected: true } : {}),
      ...(artifact.reasons.length > 0 ? { reasons: artifact.reasons.map(shownReason) } : {}),
      ...(artifact.earlier_builds.length > 0
        ? { earlier_builds: artifact.earlier_builds.map(shownBuild) }
        : {}),
    },
  ])
  return {
    status: verdict.status,
    attestations: shownAttestations(verdict.attestations_statuses),
    artifacts: Object.fromEntries(artifacts),
    reasons: verdict.reasons.map(shownReason),
  }
}

function shownBuild({ artifact_fingerprint, status, reasons }: BuildStatus): string {
  return [artifact_fingerprint, status, ...reasons.map(shownReason)].join(', ')
}

function shownAttestations(statuses: AttestationStatus[]): Record<string, string | string[]> {
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

function shownReason(reason: Reason): string {
  const on = reason.template_reference_name === undefined ? [] : [`on ${reason.template_reference_name}`]
  return [reason.rule, ...(reason.attestation_name ? [reason.attestation_name] : []), ...on].join(' ')
}
