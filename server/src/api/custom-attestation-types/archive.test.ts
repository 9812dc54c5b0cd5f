import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const create = (name: string) => app.member.post('/custom-attestation-types/acme', { name })
const archive = (name: string, body: unknown = null) =>
  app.member.put(`/custom-attestation-types/acme/${name}/archive`, body)

describe('200', () => {
  it('removes the type from the list and keeps its versions', async () => {
    await create('old')
    app.clock.advance(1000)
    const { status, body } = await archive('old')
    expect(status).toBe(200)
    expect(body).toBe('OK')
    expect((await app.reader.get('/custom-attestation-types/acme')).body).toEqual([])
    expect((await app.reader.get('/custom-attestation-types/acme/old')).body).toMatchObject({
      archived: true,
      last_modified_at: app.clock.now().getTime() / 1000,
      versions: [{ version: 1 }],
    })
    expect(await app.readEvents('custom_type_archived')).toEqual([
      { kind: 'custom_type_archived', actor: 'max', data: { type_name: 'old' } },
    ])
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await create('guarded')
    const { status } = await app[role].put('/custom-attestation-types/acme/guarded/archive', null)
    expect(status).toBe(403)
    expect((await app.reader.get('/custom-attestation-types/acme/guarded')).body.archived).toBe(false)
  })
})

describe('404', () => {
  it('names the type and the org', async () => {
    const { status, body } = await archive('nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Custom attestation type 'nothing' does not exist for org 'acme'" })
  })

  it('is not returned for archiving twice, which changes nothing', async () => {
    await create('once')
    await archive('once')
    const before = (await app.readEvents('custom_type_archived')).length
    const { status, body } = await archive('once')
    expect([status, body]).toEqual([200, 'OK'])
    expect(await app.readEvents('custom_type_archived')).toHaveLength(before)
  })

  it('does not find a type of another organization', async () => {
    await app.outsider.post('/custom-attestation-types/other-corp', { name: 'theirs' })
    expect((await archive('theirs')).status).toBe(404)
    const theirs = await app.outsider.get('/custom-attestation-types/other-corp/theirs')
    expect(theirs.body.archived).toBe(false)
  })
})
