import { describe, expect, it } from 'vitest'
import { findOscalProblems } from '../../../test/oscal.ts'
import {
  type AssessedControl,
  type AssessedDecision,
  type Assessment,
  buildOscalAssessmentResults,
} from './oscal-assessment.ts'

const control: AssessedControl = {
  identifier: 'A',
  name: 'One',
  version: 2,
  archived: false,
  environments_covered: 1,
}
const decision: AssessedDecision = {
  decision_id: 'd-1',
  control: 'A',
  control_version: 2,
  attestation_name: 'review',
  flow_name: 'ci',
  trail_name: 'run-1',
  artifact_fingerprint: null,
  artifact_name: null,
  is_compliant: true,
  reported_by: 'ada',
  created_at: new Date('2026-03-01T10:00:00Z'),
  expires_at: null,
  href: 'https://waybill.test/api/v2/attestations/acme?attestation_id=d-1',
}
const base: Assessment = {
  org: 'acme',
  from: new Date('2026-02-01T00:00:00Z'),
  to: new Date('2026-03-01T12:00:00Z'),
  now: new Date('2026-03-02T00:00:00Z'),
  controls: [control],
  decisions: [decision],
  environments: 4,
}

const buildResult = (more: Partial<Assessment>) => {
  const document = buildOscalAssessmentResults({ ...base, ...more })
  expect(findOscalProblems('assessment', document)).toEqual([])
  return document['assessment-results'].results[0]
}
const makeDecisions = (...outcomes: [flow_name: string, is_compliant: boolean][]) =>
  outcomes.map(([flow_name, is_compliant], i) => ({
    ...decision,
    decision_id: `d-${i}`,
    flow_name,
    is_compliant,
  }))

describe('a control', () => {
  it.each<[string, AssessedDecision[], string, string, string]>([
    ['without a decision', [], 'not-satisfied', 'other', 'Nothing was decided'],
    ['decided once, for it', makeDecisions(['ci', true]), 'satisfied', 'pass', 'every flow'],
    [
      'decided once, against it',
      makeDecisions(['ci', false]),
      'not-satisfied',
      'fail',
      'not compliant in: ci',
    ],
    [
      'decided for it in the end',
      makeDecisions(['ci', false], ['ci', true]),
      'satisfied',
      'pass',
      'every flow',
    ],
    [
      'decided against it in the end',
      makeDecisions(['ci', true], ['ci', false]),
      'not-satisfied',
      'fail',
      'in: ci',
    ],
    [
      'failing in one of two flows',
      makeDecisions(['ci', false], ['cd', true]),
      'not-satisfied',
      'fail',
      'in: ci',
    ],
    [
      'decided for it, until the period ends',
      [{ ...decision, expires_at: base.to }],
      'not-satisfied',
      'fail',
      'has expired in: ci',
    ],
    [
      'decided for it, until later',
      [{ ...decision, expires_at: new Date(base.to.getTime() + 1) }],
      'satisfied',
      'pass',
      'every flow',
    ],
    [
      'failing in one flow, expired in the other',
      [...makeDecisions(['ci', false]), { ...decision, flow_name: 'cd', expires_at: base.from }],
      'not-satisfied',
      'fail',
      'not compliant in: ci; The latest decision has expired in: cd',
    ],
    ['failing in both', makeDecisions(['ci', false], ['cd', false]), 'not-satisfied', 'fail', 'in: cd, ci'],
  ])('%s', (_, decisions, state, reason, remarks) => {
    const { findings, observations } = buildResult({ decisions })
    expect(findings).toHaveLength(1)
    expect(findings?.[0]?.target).toEqual({
      type: 'statement-id',
      'target-id': 'A_smt',
      status: { state, reason, remarks: expect.stringContaining(remarks) },
    })
    expect(findings?.[0]?.['related-observations']?.map(one => one['observation-uuid'])).toEqual(
      observations?.map(({ uuid }) => uuid),
    )
  })

  it('includes its coverage', () => {
    const values = buildResult({}).findings?.[0]?.props.map(({ name, ns, value }) => [
      name,
      ns !== undefined,
      value,
    ])
    expect(values).toEqual([
      ['control-version', true, '2'],
      ['decisions', true, '1'],
      ['environments', true, '4'],
      ['environments-covered', true, '1'],
      ['coverage-percent', true, '25'],
    ])
  })

  it('that is archived is included only if it has decisions', () => {
    const archived = [control, { ...control, identifier: 'B', archived: true }]
    const listReviewed = (more: Partial<Assessment>) =>
      buildResult({ controls: archived, ...more })['reviewed-controls']
    expect(listReviewed({})).toEqual({
      'control-selections': [{ 'include-controls': [{ 'control-id': 'A' }] }],
    })
    expect(listReviewed({ decisions: [{ ...decision, control: 'B' }] })).toEqual({
      'control-selections': [{ 'include-controls': [{ 'control-id': 'A' }, { 'control-id': 'B' }] }],
    })
  })
})

describe('a decision', () => {
  it('says when it expires', () => {
    const expires_at = new Date('2026-06-01T00:00:00Z')
    const [first, second] =
      buildResult({
        decisions: [
          { ...decision, expires_at },
          { ...decision, decision_id: 'd-2' },
        ],
      }).observations ?? []
    expect(first?.expires).toBe('2026-06-01T00:00:00.000Z')
    expect(second).not.toHaveProperty('expires')
  })

  it('is an observation with its subject and link', () => {
    const artifact = { artifact_fingerprint: 'f'.repeat(64), artifact_name: 'image\n:1' }
    const { observations, 'local-definitions': local } = buildResult({
      decisions: [{ ...decision, ...artifact, is_compliant: false }],
    })
    expect(observations).toMatchObject([
      {
        title: 'review: A',
        description:
          'ada recorded that version 2 of control A is not met by artifact image\n:1 in trail run-1 of flow ci',
        methods: ['EXAMINE'],
        types: ['control-objective'],
        subjects: [
          {
            'subject-uuid': local?.['inventory-items'][0]?.uuid,
            type: 'inventory-item',
            title: 'artifact image :1 in trail run-1 of flow ci',
          },
        ],
        'relevant-evidence': [{ href: decision.href }],
        collected: '2026-03-01T10:00:00.000Z',
      },
    ])
    expect(observations?.[0]?.props.map(({ name, value }) => `${name}=${value}`)).toEqual([
      'control=A',
      'control-version=2',
      'is-compliant=false',
      'reported-by=ada',
    ])
  })

  it('made before the control existed has no version', () => {
    const { observations } = buildResult({ decisions: [{ ...decision, control_version: null }] })
    expect(observations?.[0]?.description).toBe(
      'ada recorded that control A is met by trail run-1 of flow ci',
    )
    expect(observations?.[0]?.props.map(({ name }) => name)).not.toContain('control-version')
  })

  it('shares its subject with others on it', () => {
    const both = [
      decision,
      { ...decision, decision_id: 'd-2' },
      { ...decision, decision_id: 'd-3', trail_name: 'run-2' },
    ]
    const { 'local-definitions': local, observations } = buildResult({ decisions: both })
    expect(local?.['inventory-items']).toHaveLength(2)
    expect(new Set(observations?.map(({ uuid }) => uuid)).size).toBe(3)
  })
})

describe('the document', () => {
  it('covers the period, names its plan and is always the same', () => {
    const document = buildOscalAssessmentResults(base)
    const { 'import-ap': plan, 'back-matter': matter, metadata, results } = document['assessment-results']
    expect(plan.href).toBe(`#${matter.resources[0]?.uuid}`)
    expect(metadata).toMatchObject({ 'last-modified': '2026-03-02T00:00:00.000Z', 'oscal-version': '1.1.3' })
    expect(results[0]).toMatchObject({ start: '2026-02-01T00:00:00.000Z', end: '2026-03-01T12:00:00.000Z' })
    expect(buildOscalAssessmentResults(base)).toEqual(document)
  })

  it('is valid without controls, and with names OSCAL does not accept', () => {
    const empty = buildResult({ controls: [], decisions: [] })
    expect(empty['reviewed-controls']).toEqual({ 'control-selections': [{ 'include-all': {} }] })
    expect(empty).not.toHaveProperty('findings')
    const odd = { ...control, identifier: '4.2~', name: 'Line\nend' }
    const { findings } = buildResult({
      controls: [odd],
      decisions: [{ ...decision, control: '4.2~', reported_by: ' a\nb ' }],
    })
    expect(findings?.[0]?.target['target-id']).toBe('id.4.2_t_smt')
  })
})

describe('the schema detects', () => {
  const breakResults = (change: (results: Record<string, unknown>) => void) => {
    const document = JSON.parse(JSON.stringify(buildOscalAssessmentResults(base)))
    change(document['assessment-results'])
    return findOscalProblems('assessment', document)
  }
  it.each<[string, (results: Record<string, never>) => void]>([
    [
      'a uuid of another version',
      results => Object.assign(results, { uuid: '0196a1b2-0000-7000-8000-000000000000' }),
    ],
    [
      'a time without a zone',
      results => Object.assign(results.metadata ?? {}, { 'last-modified': '2026-03-02T00:00:00' }),
    ],
    ['a field nobody knows', results => Object.assign(results, { extra: 1 })],
    ['a missing plan', results => delete results['import-ap']],
    ['no results', results => Object.assign(results, { results: [] })],
    ['an address with a space', results => Object.assign(results['import-ap'] ?? {}, { href: '# x' })],
  ])('%s', (_, change) => expect(breakResults(change as never)).not.toEqual([]))
})
