// A public log: anybody can read the leaves, checkpoints, keys and proofs of an organization with `public_log`, but
// never the bodies or which record a leaf is about. Other organizations' logs stay closed.
import { parseCheckpoint, parseNote, parseVerifierKey, verifyNote } from '@waybill/transparency-log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordEvents } from '../src/events/record.ts'
import { makeIds } from '../src/lib/ids.ts'
import { ORG, OTHER_ORG, startTestApp, type TestApp } from './harness.ts'
import { makeFlow } from './reports.ts'

const SECRET = 'tell-nobody'
/** A full tile and a partial one. */
const LEAVES = 300

const OPENED = [
  'checkpoint',
  'keys',
  'leaves',
  'proof?index=0',
  'consistency?from_size=1&to_size=2',
  'tiles/1/checkpoint',
  'tiles/1/tile/0/000',
  'tiles/1/tile/entries/000',
]
const CLOSED = ['bodies/0', 'status', `leaf?flow=${SECRET}&trail=${SECRET}`]

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, SECRET)
  await app.member.put(`/trails/${ORG}/${SECRET}`, { name: SECRET })
  const [org] = await app.sql('select org_id from orgs where name = $1', [ORG])
  const org_id = String(org?.org_id)
  const context = { org: { org_id }, caller: { name: SECRET }, now: app.clock.now(), request_id: 'r' }
  const events = Array.from({ length: LEAVES }, (_, n) => ({ kind: 'org_exported' as const, data: { n } }))
  await app.db.withTransaction({ org_id }, tx => recordEvents(tx, context, makeIds(app.clock), events))
})
afterAll(() => app.stop())

const setPublicLog = (public_log: boolean) =>
  app.admin.patch(`/organizations/${ORG}`, { settings: { public_log } })

const readStatuses = async (paths: string[], org = ORG) =>
  Promise.all(paths.map(async path => [path, (await app.anonymous.get(`/log/${org}/${path}`)).status]))

const listAll = (paths: string[], status: number) => paths.map(path => [path, status])

describe('a log', () => {
  it('is closed unless its organization opens it', async () => {
    expect((await app.admin.get(`/organizations/${ORG}`)).body.settings.public_log).toBe(false)
    expect(await readStatuses([...OPENED, ...CLOSED])).toEqual(listAll([...OPENED, ...CLOSED], 401))
  })

  it('that is public can be read without a key, without its bodies', async () => {
    expect((await setPublicLog(true)).body.settings.public_log).toBe(true)
    expect(await readStatuses(OPENED)).toEqual(listAll(OPENED, 200))
    expect(await readStatuses(CLOSED)).toEqual(listAll(CLOSED, 401))
    const { keys } = (await app.anonymous.get(`/log/${ORG}/keys`)).body
    const note = parseNote((await app.anonymous.get(`/log/${ORG}/checkpoint`)).text)
    expect(
      verifyNote(
        note,
        keys.map(({ vkey }: { vkey: string }) => parseVerifierKey(vkey)),
      ),
    ).toHaveLength(1)
    expect(parseCheckpoint(note.text).size).toBeGreaterThan(LEAVES)
    // Somebody with a key for another organization is a visitor too.
    expect((await app.outsider.get(`/log/${ORG}/checkpoint`)).status).toBe(200)
    await setPublicLog(false)
  })

  it('that is public reveals no names, and not which leaf belongs to whom', async () => {
    await setPublicLog(true)
    for (const path of OPENED) {
      expect((await app.anonymous.get(`/log/${ORG}/${path}`)).text, path).not.toContain(SECRET)
    }
    for (const query of [
      `flow=${SECRET}&trail=${SECRET}`,
      'environment=prod&snapshot=1',
      'attestation=x',
      'report=x',
    ]) {
      const { status, body } = await app.anonymous.get(`/log/${ORG}/proof?${query}`)
      expect([status, body.message]).toEqual([403, 'Without a key, name the leaf by index or event'])
    }
    await setPublicLog(false)
  })

  it('of another organization stays closed beside a public one', async () => {
    await setPublicLog(true)
    expect(await readStatuses(OPENED, OTHER_ORG)).toEqual(listAll(OPENED, 401))
    expect((await app.reader.get(`/log/${OTHER_ORG}/checkpoint`)).status).toBe(403)
    // The setting opens the log and nothing else.
    for (const path of [
      `/flows/${ORG}`,
      `/flows/${ORG}/${SECRET}`,
      `/organizations/${ORG}`,
      `/members/${ORG}`,
    ])
      expect((await app.anonymous.get(path)).status, path).toBe(401)
    await setPublicLog(false)
  })

  it('is closed again when the setting is switched off', async () => {
    await setPublicLog(true)
    await setPublicLog(false)
    expect(await readStatuses(OPENED)).toEqual(listAll(OPENED, 401))
  })
})

describe('a file of the log', () => {
  it.each([
    ['tiles/1/tile/0/000', 'private, max-age=31536000, immutable'],
    ['tiles/1/tile/entries/000', 'private, max-age=31536000, immutable'],
    ['tiles/1/tile/0/001.p/10', 'no-store'],
    ['tiles/1/tile/1/000.p/1', 'no-store'],
    ['tiles/1/checkpoint', 'no-store'],
    ['checkpoint', 'no-store'],
    ['proof?index=0', 'no-store'],
    ['tiles/1/tile/0/999', 'no-store'],
  ])('%s has the header cache-control: %s', async (path, expected) => {
    const { headers } = await app.reader.get(`/log/${ORG}/${path}`)
    expect(headers['cache-control']).toBe(expected)
  })
})
