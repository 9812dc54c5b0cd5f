// A trail with more builds than a batch reads gets the same states as if every build had been read, and a report
// about one build does not read the others.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_BUILDS } from '../src/api/trails/evaluate-store.ts'
import { computeStates, type StoredBuild } from '../src/domain/trail/evaluate.ts'
import { TRAIL_SUBJECT } from '../src/domain/trail/subject.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { makeBuild, makeFlow, nameTrail, OTHER_SHA, SHA } from './reports.ts'
import { listStatements, recordWaits } from './statement-log.ts'

const TEMPLATE = `version: 1
trail:
  attestations: [{name: lint, type: generic}]
  artifacts:
    - {name: cli, attestations: [{name: unit, type: generic}]}
    - {name: api, attestations: [{name: unit, type: generic}]}
`
const BUILDS = MAX_BUILDS + 10
const NAMES = ['cli', 'api', 'tool', 'page']

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci', TEMPLATE)
  await Promise.all(Array.from({ length: BUILDS }, (_, i) => reportBuild(i)))
})
afterAll(() => app.stop())

const makeFingerprint = (number: number) => number.toString(16).padStart(64, '0')
const reportBuild = (
  number: number,
  more: Record<string, unknown> = {},
  name = NAMES[number % NAMES.length],
) =>
  app.member.post(
    '/artifacts/acme/ci',
    makeBuild(makeFingerprint(number), { ...nameTrail('big', name), ...more }),
  )
const attest = async (name: string, is_compliant: boolean, more: Record<string, unknown> = {}) => {
  const answer = await app.member.post('/attestations/acme/ci/trail/big/generic', {
    attestation_name: name,
    is_compliant,
    ...more,
  })
  expect(answer.status, answer.text).toBe(201)
}
const attestBuild = (number: number, is_compliant: boolean) =>
  attest('unit', is_compliant, { artifact_fingerprint: makeFingerprint(number) })

/** The stored states, and the states computed from all builds and all evidence. */
async function readStates() {
  const [trail] = await app.sql(`select t.trail_id, t.compliance_state as state, p.parsed as template
    from trails t join templates p using (org_id, template_id) where t.name = 'big'`)
  const builds = await app.sql(
    `select artifact_id, template_reference_name, fingerprint as artifact_fingerprint, report_id,
       is_declared_compliant, reported_by, is_current, state
     from artifacts where trail_id = $1 order by artifact_id`,
    [trail?.trail_id],
  )
  const slots = await app.sql(
    'select *, counts_as_type as attestation_type from evidence_slots where trail_id = $1',
    [trail?.trail_id],
  )
  const selectSlots = (id: unknown) => slots.filter(({ artifact_id }) => artifact_id === id)
  const artifacts = builds.map(build => ({
    ...build,
    attestations: selectSlots(build.artifact_id),
  })) as unknown as StoredBuild[]
  const computed = computeStates(trail?.template as never, {
    attestations: selectSlots(TRAIL_SUBJECT) as never,
    artifacts,
  })
  return { stored: { trail: trail?.state, artifacts: builds.map(({ state }) => state) }, computed }
}

async function expectTrail(state: string) {
  const { stored, computed } = await readStates()
  expect(stored).toEqual(computed)
  expect(stored.trail).toBe(state)
}

const TOUCHED = 'trails.read_touched_builds'

describe('the states of a large trail', () => {
  it('follow evidence of one build, even when the others decide', async () => {
    await attest('lint', true)
    // Half of the builds lack their attestation.
    await expectTrail('INCOMPLETE')
    for (const name of ['cli', 'api'])
      await attest('unit', true, { target_artifacts: [name], git_commit_info: { sha1: SHA } })
    await expectTrail('COMPLIANT')
    await attestBuild(0, false)
    await expectTrail('NON-COMPLIANT')
    await attestBuild(4, false)
    await attestBuild(0, true)
    await expectTrail('NON-COMPLIANT')
    await attestBuild(4, true)
    await expectTrail('COMPLIANT')
  })

  it('follow a new build, a repeated report, and superseded builds', async () => {
    await reportBuild(BUILDS, { git_commit: OTHER_SHA }, 'cli')
    await expectTrail('INCOMPLETE')
    await attest('unit', true, { target_artifacts: ['cli'], git_commit_info: { sha1: OTHER_SHA } })
    await expectTrail('COMPLIANT')
    await reportBuild(2, { is_compliant: false })
    await expectTrail('NON-COMPLIANT')
    await reportBuild(6, { supersedes_earlier: true })
    await expectTrail('COMPLIANT')
    await reportBuild(2, { is_compliant: false, supersedes_earlier: true })
    await expectTrail('NON-COMPLIANT')
    await reportBuild(2, { is_compliant: true })
    await expectTrail('COMPLIANT')
  })

  it('follow evidence of the trail, which counts for every build', async () => {
    await attest('lint', false)
    await expectTrail('NON-COMPLIANT')
    await Promise.all([
      attestBuild(1, false),
      attest('lint', true),
      attestBuild(5, false),
      attestBuild(1, true),
    ])
    await attestBuild(1, true)
    await attestBuild(5, true)
    await expectTrail('COMPLIANT')
  })

  it('follow the builds that the template names', async () => {
    await app.member.post(
      '/artifacts/acme/ci',
      makeBuild(makeFingerprint(1), {
        ...nameTrail('big', 'api'),
        template: `${TEMPLATE}    - {name: worker}\n`,
      }),
    )
    await expectTrail('INCOMPLETE')
    await reportBuild(BUILDS + 1, {}, 'worker')
    await expectTrail('COMPLIANT')
  })
})

describe('a report about one build', () => {
  it('reads only the affected rows, at the cost of one more wait', async () => {
    const statements = await listStatements(app, () => attestBuild(8, true))
    expect(statements).toContain(TOUCHED)
    const waits = await recordWaits(app, () => attestBuild(8, true))
    expect(waits.filter(name => name !== 'callers.use')).toHaveLength(3)
  })

  it('needs no extra wait on a small trail', async () => {
    await app.member.put('/trails/acme/ci', { name: 'small' })
    const statements = await listStatements(app, () =>
      app.member.post('/attestations/acme/ci/trail/small/generic', {
        attestation_name: 'lint',
        is_compliant: true,
      }),
    )
    expect(statements).not.toContain(TOUCHED)
  })
})
