import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const TYPES = '/custom-attestation-types/acme'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

async function createArchived(name: string): Promise<void> {
  await app.member.post(TYPES, { name })
  expect((await app.member.put(`${TYPES}/${name}/archive`, null)).status).toBe(200)
}
const unarchive = (name: string, client = app.member) => client.put(`${TYPES}/${name}/unarchive`, null)
const isArchived = async (name: string) => (await app.reader.get(`${TYPES}/${name}`)).body.archived

describe('200', () => {
  it('lists the type again and accepts attestations of it', async () => {
    await app.member.put('/flows/acme', { name: 'ci', description: '' })
    await app.member.put('/trails/acme/ci', { name: 'run' })
    const attest = () =>
      app.member.post('/attestations/acme/ci/trail/run/custom', {
        attestation_name: 'load',
        type_name: 'back',
        attestation_data: {},
      })
    await createArchived('back')
    expect((await attest()).status).toBe(404)
    app.clock.advance(1000)
    const { status, body } = await unarchive('back')
    expect([status, body]).toEqual([200, 'OK'])
    expect((await app.reader.get(TYPES)).body).toMatchObject([{ name: 'back' }])
    expect((await app.reader.get(`${TYPES}/back`)).body).toMatchObject({
      archived: false,
      last_modified_at: app.clock.now().getTime() / 1000,
      versions: [{ version: 1 }],
    })
    expect((await attest()).status).toBe(201)
    expect(await app.readEvents('custom_type_unarchived')).toEqual([
      { kind: 'custom_type_unarchived', actor: 'max', data: { type_name: 'back' } },
    ])
  })

  it('changes nothing if the type is not archived, and records nothing', async () => {
    await app.member.post(TYPES, { name: 'active' })
    const before = await app.readEvents()
    const { status, body } = await unarchive('active')
    expect([status, body]).toEqual([200, 'OK'])
    expect(await app.readEvents()).toEqual(before)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await createArchived(`guarded-by-${role}`)
    expect((await unarchive(`guarded-by-${role}`, app[role])).status).toBe(403)
    expect(await isArchived(`guarded-by-${role}`)).toBe(true)
  })
})

describe('404', () => {
  it('names the type and the org', async () => {
    const { status, body } = await unarchive('nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Custom attestation type 'nothing' does not exist for org 'acme'" })
  })
})
