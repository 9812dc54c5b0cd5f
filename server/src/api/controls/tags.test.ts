import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl } from '../../../test/controls.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const [identifier, set_tags] of Object.entries({
    C1: { framework: 'iso', owner: 'ada' },
    C2: { framework: 'iso' },
    C3: { framework: 'soc' },
  })) {
    await addControl(app, identifier)
    await app.admin.patch(`/tags/acme/control/${identifier}`, { set_tags })
  }
})
afterAll(() => app.stop())

describe('200', () => {
  it('lists each key with each of its values once', async () => {
    const { status, body } = await app.reader.get('/controls/acme/tags')
    expect(status).toBe(200)
    expect(body).toEqual({
      tags: [
        { key: 'framework', value: 'iso' },
        { key: 'framework', value: 'soc' },
        { key: 'owner', value: 'ada' },
      ],
    })
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    expect((await app.outsider.get('/controls/acme/tags')).status).toBe(403)
  })
})
