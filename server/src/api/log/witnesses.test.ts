// The list of witnesses, here without any. server/test/log-witnesses.slow.test.ts has witnesses that cosign.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORG, startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

describe('200', () => {
  it('is empty without a policy, and names the log', async () => {
    const { status, body } = await app.reader.get(`/log/${ORG}/witnesses`)
    expect([status, body]).toEqual([
      200,
      { origin: expect.stringMatching(/\/log\/.+\/1$/), epoch: 1, witnesses: [] },
    ])
  })
})

describe('403', () => {
  it('is for people of other organizations', async () => {
    expect((await app.outsider.get(`/log/${ORG}/witnesses`)).status).toBe(403)
  })
})
