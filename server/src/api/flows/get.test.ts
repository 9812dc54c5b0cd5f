import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/flows/acme', {
    name: 'backend',
    description: 'Builds',
    template: ['artifact', 'tests'],
  })
})
afterAll(() => app.stop())

describe('200', () => {
  it('returns the flow', async () => {
    const { status, body } = await app.reader.get('/flows/acme/backend')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: 'backend',
      org: 'acme',
      description: 'Builds',
      visibility: 'private',
      tags: {},
    })
    expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$/)
  })

  it('is found by a former name until another flow takes it', async () => {
    await app.member.put('/flows/acme', { name: 'before', description: 'renamed' })
    await app.member.put('/flows/acme/before/rename', { new_name: 'after' })
    const { body } = await app.reader.get('/flows/acme/before')
    expect(body).toMatchObject({ name: 'after', description: 'renamed' })
    expect((await app.reader.get('/flows/acme/after')).body).toEqual(body)
    await app.member.put('/flows/acme', { name: 'before', description: 'taken' })
    expect((await app.reader.get('/flows/acme/before')).body).toMatchObject({
      name: 'before',
      description: 'taken',
    })
  })

  it('returns the right flow to each of many concurrent requests', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `at-once-${i}`)
    for (const name of names) await app.member.put('/flows/acme', { name, description: '' })
    const requested = [...names, ...names]
    const answers = await Promise.all(requested.map(name => app.reader.get(`/flows/acme/${name}`)))
    expect(answers.map(({ body }) => body.name)).toEqual(requested)
  })

  it('makes one database round trip once the caller is in the auth cache', async () => {
    await app.reader.get('/flows/acme/backend')
    expect(await recordWaits(app, () => app.reader.get('/flows/acme/backend'))).toHaveLength(1)
  })
})

describe('404', () => {
  it('names the flow and the org', async () => {
    const { status, body } = await app.reader.get('/flows/acme/nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'nothing' does not exist for organization 'acme'" })
  })

  it('does not find an archived flow or one of another org', async () => {
    await app.member.put('/flows/acme', { name: 'archived', description: '' })
    await app.member.put('/flows/acme/archived/archive', null)
    await app.outsider.put('/flows/other-corp', { name: 'theirs', description: '' })
    expect((await app.reader.get('/flows/acme/archived')).status).toBe(404)
    expect((await app.reader.get('/flows/acme/theirs')).status).toBe(404)
  })
})
