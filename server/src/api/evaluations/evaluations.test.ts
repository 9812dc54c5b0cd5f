import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const REQUEST = {
  context: { trails: [{ flow: 'ci', trail: 'run' }] },
  policy: { files: { 'policy.rego': 'package policy' } },
}
const EVALUATION = '/evaluations/acme/018f0000-0000-7000-8000-00000001'

describe('501', () => {
  it.each([REQUEST, {}])('names what there is instead, whatever is sent: %j', async body => {
    const { status, body: error } = await app.reader.post('/evaluations/acme', body)
    expect(status).toBe(501)
    expect(error).toEqual({ message: expect.stringContaining('policy instead (PUT /policies/{org})') })
  })

  it('is also the answer about an evaluation', async () => {
    expect((await app.reader.get(EVALUATION)).status).toBe(501)
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to, before anything else', async () => {
    expect((await app.outsider.post('/evaluations/acme', REQUEST)).status).toBe(403)
    expect((await app.outsider.get(EVALUATION)).status).toBe(403)
  })
})

describe('the document', () => {
  it('declares 501 and no success', async () => {
    const { paths } = (await app.anonymous.get('/openapi.json')).body
    const { responses } = paths['/evaluations/{org}'].post
    expect(Object.keys(responses).filter(status => Number(status) < 400)).toEqual([])
    expect(responses[501].content['application/json'].example.message).toContain('Rego')
  })
})
