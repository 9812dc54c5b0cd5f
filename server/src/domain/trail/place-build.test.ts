import { describe, expect, it } from 'vitest'
import { placeBuild, placeEarlier, type ReportedBuild } from './place-build.ts'

const makeReport = (
  artifact_id: string,
  fingerprint: string,
  more: Partial<ReportedBuild> = {},
): ReportedBuild => ({
  artifact_id,
  template_reference_name: 'api',
  fingerprint,
  filename: 'api:1',
  git_commit: null,
  report_id: artifact_id,
  is_declared_compliant: null,
  reported_by: 'ci',
  supersedes_earlier: false,
  ...more,
})

/** The artifacts that count after these reports, in order. */
const listCurrent = (...reports: ReportedBuild[]) => {
  let builds: ReturnType<typeof placeBuild> = []
  for (const report of reports) builds = placeBuild(builds, report)
  return builds.filter(({ is_current }) => is_current).map(({ artifact_id }) => artifact_id)
}

describe('a build', () => {
  it('counts beside earlier builds of its name', () => {
    expect(listCurrent(makeReport('a1', 'f1'), makeReport('a2', 'f2'))).toEqual(['a1', 'a2'])
  })

  it('that supersedes leaves builds of other names alone', () => {
    const web = makeReport('w1', 'f9', { template_reference_name: 'web' })
    const newer = makeReport('a2', 'f2', { supersedes_earlier: true })
    expect(listCurrent(makeReport('a1', 'f1'), web, newer)).toEqual(['w1', 'a2'])
  })

  it('that is reported again keeps its id and counts again', () => {
    const newer = makeReport('a2', 'f2', { supersedes_earlier: true })
    expect(listCurrent(makeReport('a1', 'f1'), newer, makeReport('a3', 'f1'))).toEqual(['a2', 'a1'])
  })

  it('that is reported again has what the newest report says', () => {
    const [again] = placeBuild(
      placeBuild([], makeReport('a1', 'f1')),
      makeReport('a3', 'f1', { filename: 'api:2', is_declared_compliant: false }),
    )
    expect(again).toMatchObject({
      artifact_id: 'a1',
      filename: 'api:2',
      is_declared_compliant: false,
      state: null,
    })
  })
})

describe('earlier attestations', () => {
  const makeEarlier = (attestation_id: string, attestation_name = 'tests') => ({
    attestation_name,
    attestation_id,
    counts_as_type: 'junit',
    is_compliant: true,
    overridden_attestation_id: null,
  })

  it('fill the slots with the newest of each name', () => {
    const filled = placeEarlier([], 'a1', [
      makeEarlier('1'),
      makeEarlier('3'),
      makeEarlier('2'),
      makeEarlier('1', 'scan'),
    ])
    expect(filled.map(slot => [slot.artifact_id, slot.attestation_name, slot.attestation_id])).toEqual([
      ['a1', 'tests', '3'],
      ['a1', 'scan', '1'],
    ])
  })

  it('do not replace a newer one', () => {
    const slot = { ...makeEarlier('2'), artifact_id: 'a1' }
    expect(placeEarlier([slot], 'a1', [makeEarlier('1'), makeEarlier('2')])).toEqual([])
    expect(placeEarlier([slot], 'a1', [makeEarlier('3')])).toMatchObject([{ attestation_id: '3' }])
    expect(placeEarlier([{ ...slot, artifact_id: 'a2' }], 'a1', [makeEarlier('1')])).toHaveLength(1)
  })
})
