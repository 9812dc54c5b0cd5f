import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

const noFlow = (name: string) => ({ message: `Flow named '${name}' does not exist for organization 'acme'` })
const archivedText = (name: string) => ({
  message: `Flow named '${name}' has been archived for organization 'acme'`,
})

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const create = (name: string) => app.member.put('/flows/acme', { name, description: '' })
const listArchivedNames = async () =>
  (await app.sql('select name from flows where archived_at is not null order by name')).map(
    ({ name }) => name,
  )

describe('200', () => {
  it('hides the flow and its trails, and keeps them', async () => {
    await create('old')
    await app.member.put('/trails/acme/old', { name: 'run' })
    const { status, body } = await app.member.put('/flows/acme/old/archive', null)
    expect(status).toBe(200)
    expect(body).toBe('OK')
    expect((await app.reader.get('/flows/acme')).body).toEqual([])
    expect((await app.reader.get('/flows/acme/old')).body).toEqual(archivedText('old'))
    expect((await app.reader.get('/trails/acme')).body.data).toEqual([])
    expect((await app.reader.get('/trails/acme/old/run')).body).toEqual(archivedText('old'))
    expect((await app.member.put('/trails/acme/old', { name: 'another' })).body).toEqual(noFlow('old'))
    expect(await app.sql('select name from trails')).toEqual([{ name: 'run' }])
    expect(await app.readEvents('flow_archived')).toEqual([
      { kind: 'flow_archived', actor: 'max', data: { flow_name: 'old' } },
    ])
  })

  it.each([
    ['no body', undefined],
    ['an empty object', {}],
  ])('accepts %s', async (_, sent) => {
    await create('bodies')
    expect((await app.member.put('/flows/acme/bodies/archive', sent)).status).toBe(200)
  })

  it('changes nothing the second time, and records nothing', async () => {
    await create('once')
    await app.member.put('/flows/acme/once/archive', null)
    const before = (await app.readEvents('flow_archived')).length
    const { status, body } = await app.member.put('/flows/acme/once/archive', null)
    expect([status, body]).toEqual([200, 'OK'])
    expect(await app.readEvents('flow_archived')).toHaveLength(before)
  })

  it('finds the flow by a former name', async () => {
    await create('former')
    await app.member.put('/flows/acme/former/rename', { new_name: 'current' })
    expect((await app.member.put('/flows/acme/former/archive', null)).status).toBe(200)
    expect((await app.reader.get('/flows/acme/former')).status).toBe(404)
    expect((await app.reader.get('/flows/acme/current')).status).toBe(404)
    expect((await app.readEvents('flow_archived')).at(-1)?.data).toEqual({ flow_name: 'current' })
  })
})

describe('400', () => {
  it('refuses a body that is not empty', async () => {
    await create('strict')
    const { status, body } = await app.member.put('/flows/acme/strict/archive', { force: true })
    expect(status).toBe(400)
    expect(body.errors).toEqual({ force: 'Extra inputs are not permitted [input: true]' })
    expect((await app.reader.get('/flows/acme/strict')).status).toBe(200)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await create('guarded')
    const before = await listArchivedNames()
    const { status, body } = await app[role].put('/flows/acme/guarded/archive', null)
    expect(status).toBe(403)
    expect(body).toEqual({ message: "You don't have permission to access this resource" })
    expect(await listArchivedNames()).toEqual(before)
  })
})

describe('404', () => {
  it('names the flow and the org', async () => {
    const { status, body } = await app.member.put('/flows/acme/nothing/archive', null)
    expect(status).toBe(404)
    expect(body).toEqual(noFlow('nothing'))
  })

  it('does not reach a flow of another org', async () => {
    await app.outsider.put('/flows/other-corp', { name: 'theirs', description: '' })
    expect((await app.admin.put('/flows/acme/theirs/archive', null)).body).toEqual(noFlow('theirs'))
    expect((await app.outsider.get('/flows/other-corp/theirs')).status).toBe(200)
  })
})
