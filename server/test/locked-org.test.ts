// While an organization is being seeded, its seeder locks evaluation: no other process evaluates it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { lockOrgEvaluation } from '../src/evaluation/org-lock-store.ts'
import { makeTestRound } from './evaluate-all.ts'
import { startTestApp, type TestApp } from './harness.ts'

const FINGERPRINT = 'a'.repeat(64)
const AN_HOUR_MS = 3_600_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

/** Reports a running artifact and attaches a policy that has not been evaluated yet. */
async function prepare(client: TestApp['admin'], org: string): Promise<string> {
  await client.put(`/environments/${org}`, { name: 'live', type: 'K8S', description: '' })
  const pod = { podName: 'p', namespace: 'n', creationTimestamp: 1, digests: { image: FINGERPRINT } }
  await client.put(`/environments/${org}/live/report/K8S`, { artifacts: [pod] })
  await client.put(`/policies/${org}`, {
    name: 'rules',
    description: '',
    policy_yaml: '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n',
  })
  const attached = await client.post(`/environments/${org}/live/policies`, { policy_names: ['rules'] })
  expect(attached.status).toBeLessThan(300)
  const [row] = await app.sql('select org_id from orgs where name = $1', [org])
  return String(row?.org_id)
}

const countPending = async (org_id: string) =>
  (await app.sql('select 1 from pending_judgements where org_id = $1', [org_id])).length

it('is evaluated only by the lock owner, and by everyone after its release', async () => {
  const locked = await prepare(app.admin, 'acme')
  const other = await prepare(app.outsider, 'other-corp')
  app.clock.advance(AN_HOUR_MS)
  const release = await lockOrgEvaluation(makeOwnerDb(app.owner), locked)
  await makeTestRound(app)()
  expect([(await countPending(locked)) > 0, await countPending(other)]).toEqual([true, 0])
  await makeTestRound(app, locked)()
  expect(await countPending(locked)).toBe(0)

  await app.admin.put('/policies/acme', {
    name: 'rules',
    policy_yaml: '_schema: https://waybill.example/v1\n',
  })
  app.clock.advance(AN_HOUR_MS)
  await makeTestRound(app)()
  expect(await countPending(locked)).toBeGreaterThan(0)
  await release()
  await makeTestRound(app, other)()
  expect(await countPending(locked)).toBeGreaterThan(0)
  await makeTestRound(app)()
  expect(await countPending(locked)).toBe(0)
})
