import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const PATH = '/organizations/acme/experimental_features'
const put = (experimental_features_enabled: unknown, client = app.admin) =>
  client.put(PATH, { experimental_features_enabled })
const isOn = async () => (await app.reader.get('/organizations/acme')).body.experimental_features_enabled

describe('200', () => {
  it('switches them on and off, and returns the organization', async () => {
    expect(await isOn()).toBe(false)
    const { status, body } = await put(true)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: 'acme',
      experimental_features_enabled: true,
      features: { controls: true, experimental: true },
    })
    expect(await isOn()).toBe(true)
    expect((await app.readEvents('org_changed')).at(-1)).toMatchObject({
      actor: 'ada',
      data: { org: 'acme', after: { experimental: true } },
    })
    await put(false)
    expect(await isOn()).toBe(false)
  })

  it('records nothing when nothing changes', async () => {
    await put(true)
    const before = (await app.readEvents('org_changed')).length
    expect((await put(true)).status).toBe(200)
    expect(await app.readEvents('org_changed')).toHaveLength(before)
  })
})

describe('400', () => {
  it.each([
    [{}, 'Field required [input: None]'],
    [{ experimental_features_enabled: 'yes' }, 'Input should be a valid boolean [input: yes]'],
  ])('refuses %j', async (body, sentence) => {
    const answer = await app.admin.put(PATH, body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual({ experimental_features_enabled: sentence })
  })
})

describe('403', () => {
  it('is for admins of the organization', async () => {
    expect((await put(false, app.member)).status).toBe(403)
    expect((await put(false, app.outsider)).status).toBe(403)
    expect(await isOn()).toBe(true)
  })
})
