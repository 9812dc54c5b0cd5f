// A crash between object and row: an attachment whose attestation was never stored is removed, everything else stays.
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeFile, ORG, startTestApp, type TestApp } from '../../test/harness.ts'
import { makeLog } from '../lib/log.ts'
import { sweepOnce } from './sweep-evidence.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', { name: 'f', description: '' })
  await app.member.put('/trails/acme/f', { name: 't' })
})
afterAll(() => app.stop())

it('removes unreferenced attachments once they are old enough', async () => {
  const org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  const attested = {
    data_json: '{"attestation_name":"a","is_compliant":true}',
    attachment_file: makeFile('named'),
  }
  await app.member.form('POST', '/attestations/acme/f/trail/t/generic', attested)
  const orphan = await app.evidence.stage(org_id, 'x', Readable.from(['left by a crash']))
  await orphan.keep()
  const listKept = async () => {
    const found: string[] = []
    for await (const { sha256 } of app.evidence.list()) found.push(sha256)
    return found
  }
  expect(await listKept()).toHaveLength(2)

  const real_now = (await app.sql('select now() as now'))[0]?.now as Date
  const makeClock = (later_ms: number) => ({
    now: () => new Date(real_now.getTime() + later_ms),
    monotonic_ms: () => 0,
  })
  const parts = { db: app.db, evidence: app.evidence, log: makeLog('silent') }
  await sweepOnce({ ...parts, clock: makeClock(DAY_MS / 2) })
  expect(await listKept()).toHaveLength(2)
  await sweepOnce({ ...parts, clock: makeClock(2 * DAY_MS) })
  expect(await listKept()).not.toContain(orphan.sha256)
  expect(await listKept()).toHaveLength(1)
})

it('has nothing to do for a rejected request: its attachment was never stored', async () => {
  const formatData = (more: object) => JSON.stringify({ attestation_name: 'a', is_compliant: true, ...more })
  const refused = [
    ['/attestations/acme/none/trail/t/generic', formatData({})],
    ['/attestations/acme/f/trail/none/generic', formatData({})],
    ['/attestations/acme/f/trail/t/generic', formatData({ artifact_fingerprint: 'a'.repeat(64) })],
  ] as const
  const count = async () => {
    let kept = 0
    for await (const _ of app.evidence.list()) kept++
    return kept
  }
  const before = await count()
  for (const [path, data_json] of refused) {
    const answer = await app.member.form('POST', path, {
      data_json,
      attachment_file: makeFile(`orphan of ${path}`),
    })
    expect(answer.status).toBe(404)
  }
  expect(await count()).toBe(before)
})
