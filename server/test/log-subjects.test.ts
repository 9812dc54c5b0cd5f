// Which leaves are about an artifact, an environment or a person, found by replay; and the hours in which an
// environment was monitored.
import { beforeAll, describe, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import type { Subject } from '../src/domain/log/commit.ts'
import { type ReplayQuestion, replay } from '../src/domain/log/replay.ts'
import { findLogProblems } from '../src/log/check.ts'
import { formatStoredLeaf } from '../src/log/check-leaf.ts'
import { listLeavesWithEvents } from '../src/log/check-store.ts'
import { buildPodReport } from './environments.ts'
import { ORG, startTestApp, type TestApp, type TestResponse } from './harness.ts'
import { makeBuild, makeFingerprint, nameTrail } from './reports.ts'

const HOUR_MS = 3_600_000
const ARTIFACT = { type: 'artifact', id: makeFingerprint('a') } as const

let app: TestApp
let org_id: string
let tag_key: Buffer
beforeAll(async () => {
  app = await startTestApp()
  const [head] = await app.sql(
    'select h.org_id, h.tag_key from log_heads h join orgs o using (org_id) where o.name = $1',
    [ORG],
  )
  org_id = String(head?.org_id)
  tag_key = head?.tag_key as Buffer
  await app.admin.put(`/flows/${ORG}`, { name: 'ci', description: '' })
  await app.admin.put(`/environments/${ORG}`, { name: 'prod', type: 'K8S' })
  return () => app.stop()
})

async function listLeaves(): Promise<string[]> {
  const rows = await listLeavesWithEvents(makeOwnerDb(app.owner), {
    org_id,
    epoch: 1,
    from: 0,
    limit: 10_000,
  })
  return rows.map(formatStoredLeaf)
}

async function find(subject: Subject, more: Partial<ReplayQuestion> = {}): Promise<number[]> {
  const replayed = replay(await listLeaves(), { tag_key, subject, from: 0, ...more })
  if ('problem' in replayed) throw new Error(replayed.problem)
  return replayed.indices
}

function readIndices({ headers }: TestResponse): number[] {
  const [, index, count] = /^index=(\d+), count=(\d+)|^index=(\d+)/.exec(String(headers['waybill-log'])) ?? []
  return Array.from({ length: Number(count ?? 1) }, (_, i) => Number(index) + i)
}

const reportPods = (...letters: string[]) =>
  app.snapshotter.put(`/environments/${ORG}/prod/report/K8S`, buildPodReport(...letters))

describe('replay', () => {
  it('finds every attestation of an artifact, and no other', async () => {
    for (const letter of ['a', 'b'])
      await app.member.post(
        `/artifacts/${ORG}/ci`,
        makeBuild(makeFingerprint(letter), nameTrail(`t-${letter}`)),
      )
    const attest = (letter: string) =>
      app.member.post(`/attestations/${ORG}/ci/trail/t-${letter}/generic`, {
        attestation_name: 'scan',
        artifact_fingerprint: makeFingerprint(letter),
        is_compliant: true,
      })
    const answers = [await attest('a'), await attest('b'), await attest('a')]
    const [first = [], , third = []] = answers.map(readIndices)
    expect(await find(ARTIFACT, { kinds: ['artifact_attestation_reported'] })).toEqual([...first, ...third])
    expect(await find({ type: 'artifact', id: makeFingerprint('f') })).toEqual([])
    // The same text of another type is another subject.
    expect(await find({ type: 'evidence', id: ARTIFACT.id })).toEqual([])
  })

  it('finds the snapshots of an environment in a period', async () => {
    const { headers } = await reportPods('a')
    const [env] = await app.sql(`select left(environment_id::text, 32) as id from environments`)
    const environment = { type: 'environment', id: String(env?.id) } as const
    const kinds = ['snapshot_taken']
    const found = await find(environment, { kinds })
    expect(found).toHaveLength(1)
    expect(String(headers['waybill-log'])).toMatch(/^index=\d+, count=2/)
    const [leaf] = await app.sql('select logged_ms::text from log_leaves where org_id = $1 and seq = $2', [
      org_id,
      found[0],
    ])
    const at_ms = Number(leaf?.logged_ms)
    expect(await find(environment, { kinds, period: { from_ms: at_ms, to_ms: at_ms + 1 } })).toEqual(found)
    expect(await find(environment, { kinds, period: { from_ms: at_ms + 1, to_ms: at_ms + 9 } })).toEqual([])
    // Started artifacts are about the environment and the artifact.
    expect(await find(ARTIFACT, { kinds: ['artifact_started_running'] })).toHaveLength(1)
  })

  it('does not accept leaves that are not a range', async () => {
    const leaves = await listLeaves()
    const about = { tag_key, subject: ARTIFACT, from: 0 }
    expect(replay(leaves.toSpliced(3, 1), about)).toEqual({ problem: 'leaf 4 is in the place of leaf 3' })
    expect(replay(leaves.slice(1), about)).toEqual({ problem: 'leaf 1 is in the place of leaf 0' })
    expect(replay(['leaf'], about)).toEqual({ problem: 'leaf 0 is not a leaf' })
    const [first = '', second = ''] = leaves
    const older = second.replace(/at \d+/, 'at 1')
    expect(replay([first, older], about)).toEqual({ problem: 'leaf 1 is older than the leaf before it' })
  })

  it('finds a person by their id', async () => {
    const [user] = await app.sql(`select left(user_id::text, 32) as id from users where name = 'rita'`)
    expect(await find({ type: 'person', id: String(user?.id) }, { kinds: ['member_added'] })).toHaveLength(1)
  })
})

describe('an environment whose reports change nothing', () => {
  const listConfirmed = async () =>
    (await app.readEvents('environment_confirmed')).map(({ data }) => [data.reports, data.report_sha256])

  it('has one leaf an hour, and one before each snapshot', async () => {
    expect(await listConfirmed()).toEqual([])
    // The snapshot itself shows that this hour was monitored.
    expect((await reportPods('a')).headers).not.toHaveProperty('waybill-log')
    app.clock.advance(HOUR_MS)
    expect((await reportPods('a')).headers['waybill-log']).toMatch(/^index=\d+, count=1|^index=\d+/)
    const [[reports, sha256] = []] = await listConfirmed()
    expect(reports).toBe(2)
    expect(sha256).toMatch(/^[0-9a-f]{64}$/)
    for (let i = 0; i < 3; i++) await reportPods('a')
    expect(await listConfirmed()).toHaveLength(1)
    await reportPods('a', 'b')
    expect(await listConfirmed()).toEqual([
      [2, sha256],
      [3, sha256],
    ])
    const kinds = (await listLeaves()).map(leaf => /\nkind (.*)\n/.exec(leaf)?.[1])
    expect(kinds.lastIndexOf('environment_confirmed')).toBeLessThan(kinds.lastIndexOf('snapshot_taken'))
    expect(await findLogProblems(makeOwnerDb(app.owner))).toEqual([])
  })

  it('is not in the list of audit events unless requested', async () => {
    const { events } = (await app.admin.get(`/audit-events/${ORG}?environment_name=prod`)).body
    expect(events.length).toBeGreaterThan(0)
    const { body } = await app.admin.get(`/audit-events/${ORG}?kind=environment_confirmed`)
    expect(body.events).toHaveLength(2)
    expect(JSON.stringify(events)).not.toContain('environment_confirmed')
  })
})

describe('the state of a snapshot', () => {
  // The hashes of a running artifact are stored. A process of an earlier version does not know them.
  it('is covered even after an earlier version changed the running artifacts', async () => {
    await reportPods('a', 'b')
    await app.sql(
      `update running_artifacts set name = name || ' renamed', is_run_ahead = true where fingerprint = $1`,
      [makeFingerprint('a')],
    )
    await app.sql(
      `update running_artifacts set evaluation = '{"flows": []}', compliant = false, is_verdict_ahead = true
       where fingerprint = $1`,
      [makeFingerprint('b')],
    )
    await reportPods('a', 'b', 'c')
    expect(await findLogProblems(makeOwnerDb(app.owner))).toEqual([])
    const computed = await app.sql('select fingerprint from running_artifacts where detail_sha256 is null')
    expect(computed).toEqual([{ fingerprint: makeFingerprint('a') }])
  })
})
