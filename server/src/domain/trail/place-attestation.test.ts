import { describe, expect, it } from 'vitest'
import {
  type Build,
  fillWith,
  placeAttestation,
  type ReportedAttestation,
  type Slot,
} from './place-attestation.ts'
import { TRAIL_SUBJECT } from './subject.ts'

const COMMIT = 'c0ffee'

const makeBuild = (artifact_id: string, fingerprint: string, more: Partial<Build> = {}): Build => ({
  artifact_id,
  template_reference_name: 'api',
  fingerprint,
  git_commit: COMMIT,
  ...more,
})

const makeReport = (more: Partial<ReportedAttestation> = {}): ReportedAttestation => ({
  attestation_id: 'new',
  attestation_name: 'tests',
  attestation_type: 'junit',
  counts_as_type: 'junit',
  is_compliant: true,
  artifact_fingerprint: null,
  target_artifacts: [],
  git_commit: COMMIT,
  ...more,
})

const makeSlot = (artifact_id: string, more: Partial<Slot> = {}): Slot => ({
  artifact_id,
  attestation_name: 'tests',
  attestation_id: 'old',
  counts_as_type: 'junit',
  is_compliant: false,
  overridden_attestation_id: null,
  ...more,
})

/** The ids of the artifacts whose slots are filled; if there are none, the result. */
function listFilled(builds: Build[], report: ReportedAttestation, slots: Slot[] = []) {
  const placement = placeAttestation({ builds, slots }, report)
  return placement.result === 'placed'
    ? placement.slots.map(({ artifact_id }) => artifact_id)
    : placement.result
}

describe('an attestation', () => {
  const builds = [
    makeBuild('a1', 'f1'),
    makeBuild('a2', 'f2', { template_reference_name: 'web' }),
    makeBuild('a3', 'f1', { template_reference_name: 'docs' }),
    makeBuild('a4', 'f4', { git_commit: 'other' }),
    makeBuild('a5', 'f5', { git_commit: null }),
  ]
  it.each<[string, Partial<ReportedAttestation>, string[] | string]>([
    ['without a target is about the trail', {}, [TRAIL_SUBJECT]],
    ['with a fingerprint is about every artifact that has it', { artifact_fingerprint: 'f1' }, ['a1', 'a3']],
    ['with an unknown fingerprint is refused', { artifact_fingerprint: 'f9' }, 'unknown_artifact'],
    ['for a name is about the builds of its commit', { target_artifacts: ['api'] }, ['a1']],
    ['for several names is about each of them', { target_artifacts: ['api', 'web'] }, ['a1', 'a2']],
    ['for a name that was not built yet fills nothing', { target_artifacts: ['later'] }, []],
    ['for a name, without a commit, fills nothing', { target_artifacts: ['api'], git_commit: null }, []],
  ])('%s', (_, more, filled) => {
    expect(listFilled(builds, makeReport(more))).toEqual(filled)
  })

  it('with a fingerprint names the newest artifact that has it', () => {
    const placement = placeAttestation({ builds, slots: [] }, makeReport({ artifact_fingerprint: 'f1' }))
    expect(placement).toMatchObject({ result: 'placed', artifact: { artifact_id: 'a3' } })
  })
})

describe('an override', () => {
  const builds = [makeBuild('a1', 'f1')]
  const override = makeReport({ attestation_type: 'override', artifact_fingerprint: 'f1' })

  it('replaces the attestation in the slot and names it', () => {
    const placement = placeAttestation({ builds, slots: [makeSlot('a1')] }, override)
    expect(placement).toMatchObject({ slots: [{ artifact_id: 'a1', overridden_attestation_id: 'old' }] })
  })

  it('of an artifact is misdirected if only the trail has such an attestation', () => {
    expect(listFilled(builds, override, [makeSlot(TRAIL_SUBJECT)])).toBe('misdirected')
    expect(listFilled(builds, override, [makeSlot(TRAIL_SUBJECT), makeSlot('a1')])).toEqual(['a1'])
    expect(listFilled(builds, override, [])).toEqual(['a1'])
  })

  it('of the trail replaces only the attestation of the trail', () => {
    const onTrail = { ...override, artifact_fingerprint: null }
    expect(listFilled(builds, onTrail, [makeSlot(TRAIL_SUBJECT), makeSlot('a1')])).toEqual([TRAIL_SUBJECT])
  })

  it('is the only type that overrides', () => {
    const placement = placeAttestation(
      { builds, slots: [makeSlot('a1')] },
      makeReport({ artifact_fingerprint: 'f1' }),
    )
    expect(placement).toMatchObject({ slots: [{ overridden_attestation_id: null }] })
  })
})

describe('filled slots', () => {
  it('replace attestations of the same artifact and name, and no others', () => {
    const before = [makeSlot('a1'), makeSlot('a2'), makeSlot('a1', { attestation_name: 'scan' })]
    const after = fillWith(before, [makeSlot('a1', { attestation_id: 'new' })])
    expect(after.map(slot => [slot.artifact_id, slot.attestation_name, slot.attestation_id])).toEqual([
      ['a1', 'tests', 'new'],
      ['a2', 'tests', 'old'],
      ['a1', 'scan', 'old'],
    ])
  })
})
