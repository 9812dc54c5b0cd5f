import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../template/parse.ts'
import type { Template } from '../template/template.ts'
import {
  type AttestationEvidence,
  computeFreshState,
  computeStates,
  evaluateTrail,
  type TrailEvidence,
} from './evaluate.ts'

describe('the states of a trail and its builds', () => {
  const template = readTemplate(
    'version: 1\ntrail: {artifacts: [{name: cli, attestations: [{name: a, type: junit}]}]}',
  )
  const makeBuild = (id: string, is_current: boolean, attestations: AttestationEvidence[]) => ({
    template_reference_name: 'cli',
    artifact_fingerprint: id,
    artifact_id: id,
    report_id: id,
    is_declared_compliant: null,
    reported_by: 'max',
    attestations,
    is_current,
  })

  it.each([
    [true, 'NON-COMPLIANT'],
    [false, 'COMPLIANT'],
  ])('of a failed build that counts (%s) make the trail %s', (is_current, trail) => {
    const failed = makeBuild('old', is_current, [makeEvidence('a', 'junit', false)])
    const newest = makeBuild('new', true, [makeEvidence('a', 'junit', true)])
    expect(computeStates(template, { attestations: [], artifacts: [failed, newest] })).toEqual({
      trail,
      artifacts: ['NON-COMPLIANT', 'COMPLIANT'],
    })
  })

  it('depend on the evidence of the trail', () => {
    const attestations = [makeEvidence('b', 'junit', false)]
    const build = makeBuild('new', true, [makeEvidence('a', 'junit', true)])
    expect(computeStates(template, { attestations, artifacts: [build] })).toEqual({
      trail: 'NON-COMPLIANT',
      artifacts: ['NON-COMPLIANT'],
    })
  })
})

describe('the shape in the API', () => {
  const template = readTemplate(
    'version: 1\ntrail: {attestations: [{name: a, type: junit}], artifacts: [{name: cli}]}',
  )

  it('of a trail with evidence, an override among it', () => {
    const override = { ...makeEvidence('a', 'junit', false), overridden_attestation_id: 'older' }
    const artifact = {
      template_reference_name: 'cli',
      artifact_fingerprint: 'f',
      artifact_id: 'i',
      report_id: 'r',
      is_declared_compliant: null,
      reported_by: 'max',
      attestations: [],
    }
    const reason = {
      rule: 'non_compliant_attestation',
      attestation_name: 'a',
      attestation_type: 'junit',
      expected: 'a compliant attestation',
      found: 'a non-compliant attestation',
      description: "Attestation 'a' on the trail is not compliant",
    }
    expect(evaluateTrail(template, { attestations: [override], artifacts: [artifact] })).toStrictEqual({
      status: 'NON-COMPLIANT',
      is_compliant: false,
      attestations_statuses: [
        {
          attestation_name: 'a',
          attestation_type: 'junit',
          attestation_id: 'id of a',
          overridden_attestation_id: 'older',
          status: 'COMPLETE',
          is_compliant: false,
          unexpected: false,
        },
      ],
      artifacts_statuses: {
        cli: {
          artifact_fingerprint: 'f',
          artifact_id: 'i',
          status: 'NON-COMPLIANT',
          is_compliant: false,
          attestations_statuses: [],
          unexpected: false,
          reasons: [reason],
          earlier_builds: [],
        },
      },
      reasons: [
        reason,
        {
          rule: 'non_compliant_artifact',
          template_reference_name: 'cli',
          expected: 'COMPLIANT',
          found: 'NON-COMPLIANT',
          description: "Artifact 'cli' is NON-COMPLIANT",
        },
      ],
    })
  })

  it('of a slot and an artifact that are missing', () => {
    const verdict = evaluateTrail(template, { attestations: [], artifacts: [] })
    expect(verdict.attestations_statuses).toStrictEqual([
      {
        attestation_name: 'a',
        attestation_type: 'junit',
        attestation_id: null,
        overridden_attestation_id: null,
        status: 'MISSING',
        is_compliant: null,
        unexpected: false,
      },
    ])
    expect(verdict.artifacts_statuses).toMatchObject({
      cli: { artifact_fingerprint: null, artifact_id: null, status: 'MISSING', is_compliant: null },
    })
  })

  it('keeps an artifact called __proto__', () => {
    const artifact = {
      template_reference_name: '__proto__',
      artifact_fingerprint: 'f',
      artifact_id: 'i',
      report_id: 'r',
      is_declared_compliant: null,
      reported_by: 'max',
      attestations: [],
    }
    const verdict = evaluateTrail(readTemplate('version: 1'), { attestations: [], artifacts: [artifact] })
    expect(Object.keys(verdict.artifacts_statuses)).toEqual(['__proto__'])
  })
})

it.each([
  ['version: 1', 'COMPLIANT'],
  ['version: 1\ntrail: {attestations: [{name: a, type: junit}]}', 'INCOMPLETE'],
  ['version: 1\ntrail: {artifacts: [{name: a}]}', 'INCOMPLETE'],
])('a fresh trail of %j is %s', (yaml, state) => expect(computeFreshState(readTemplate(yaml))).toBe(state))

describe('whatever is reported', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const type = fc.constantFrom('junit', 'snyk', 'system:decision', 'custom:x')
  const slots = fc.uniqueArray(
    fc.record({ name, type: fc.constantFrom('junit', 'snyk', 'decision', 'custom:x', '*') }),
    { selector: slot => slot.name },
  )
  const reports = fc.uniqueArray(
    fc.tuple(name, type, fc.boolean()).map(parts => makeEvidence(...parts)),
    { selector: report => report.attestation_name },
  )
  const template = fc.record({
    version: fc.constant(1 as const),
    trail: fc.record({
      attestations: slots,
      artifacts: fc.uniqueArray(fc.record({ name, attestations: slots }), { selector: slot => slot.name }),
    }),
  })
  const artifact = fc.record({
    template_reference_name: name,
    artifact_fingerprint: fc.string(),
    artifact_id: fc.uuid(),
    report_id: fc.uuid(),
    is_declared_compliant: fc.constantFrom(null, true, false),
    reported_by: fc.string(),
    attestations: reports,
  })
  const trail = fc.record({
    attestations: reports,
    artifacts: fc.uniqueArray(artifact, { selector: reported => reported.report_id }),
  })

  it('its order never changes the verdict', () => {
    const shuffled = trail.chain(given => fc.tuple(fc.constant(given), shuffle(given)))
    fc.assert(
      fc.property(template, shuffled, (required, [given, other]) => {
        expect(evaluateTrail(required, other)).toStrictEqual(evaluateTrail(required, given))
      }),
    )
  })

  it('a failure on the trail fails every build on it', () => {
    fc.assert(
      fc.property(template, trail, (required, given) => {
        const isRed = given.attestations.some(({ is_compliant }) => !is_compliant)
        const { artifacts_statuses } = evaluateTrail(required, given)
        for (const { status, earlier_builds } of Object.values(artifacts_statuses)) {
          const builds = status === 'MISSING' ? [] : [status, ...earlier_builds.map(build => build.status)]
          if (isRed) expect(builds.filter(state => state !== 'NON-COMPLIANT')).toEqual([])
        }
      }),
    )
  })

  it('the stored state of a trail matches its verdict, for the builds that count', () => {
    const withCounts = trail.chain(given =>
      fc.tuple(
        fc.constant(given),
        fc.array(fc.boolean(), { minLength: given.artifacts.length, maxLength: given.artifacts.length }),
      ),
    )
    fc.assert(
      fc.property(template, withCounts, (required, [given, counts]) => {
        const artifacts = given.artifacts.map((build, i) => ({ ...build, is_current: counts[i] ?? true }))
        const current = artifacts.filter(({ is_current }) => is_current)
        expect(computeStates(required, { ...given, artifacts }).trail).toBe(
          evaluateTrail(required, { ...given, artifacts: current }).status,
        )
      }),
    )
  })

  it('a trail is compliant only when every build on it is', () => {
    fc.assert(
      fc.property(template, trail, (required, given) => {
        const { status, artifacts_statuses } = evaluateTrail(required, given)
        const builds = Object.values(artifacts_statuses).flatMap(evaluated => [
          evaluated,
          ...evaluated.earlier_builds,
        ])
        if (status === 'COMPLIANT') expect(builds.filter(({ is_compliant }) => !is_compliant)).toEqual([])
        else if (builds.some(build => build.status === 'NON-COMPLIANT')) expect(status).toBe('NON-COMPLIANT')
      }),
    )
  })

  it('a non-compliant verdict has reasons and a compliant one has none', () => {
    fc.assert(
      fc.property(template, trail, (required, given) => {
        const verdict = evaluateTrail(required, given)
        for (const evaluated of [verdict, ...Object.values(verdict.artifacts_statuses)]) {
          expect(evaluated.reasons.length > 0).toBe(evaluated.status !== 'COMPLIANT')
        }
      }),
    )
  })
})

function shuffle(given: TrailEvidence): fc.Arbitrary<TrailEvidence> {
  const shuffleItems = <T>(items: T[]): fc.Arbitrary<T[]> =>
    fc.shuffledSubarray(items, { minLength: items.length })
  const artifacts = given.artifacts.map(artifact =>
    shuffleItems(artifact.attestations).map(attestations => ({ ...artifact, attestations })),
  )
  return fc.record({
    attestations: shuffleItems(given.attestations),
    artifacts: fc.tuple(...artifacts).chain(shuffleItems),
  })
}

function readTemplate(yaml: string): Template {
  const parsed = parseTemplate(yaml)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.template
}

function makeEvidence(name: string, type: string, isCompliant: boolean): AttestationEvidence {
  return {
    attestation_id: `id of ${name}`,
    attestation_name: name,
    attestation_type: type,
    is_compliant: isCompliant,
    overridden_attestation_id: null,
  }
}
