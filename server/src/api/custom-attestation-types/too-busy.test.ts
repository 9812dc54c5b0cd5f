// A server too busy to evaluate returns 503 with Retry-After. It stores nothing, because it has no result: neither a
// non-compliant verdict nor an invalid type.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { PATIENCE_MS } from '../../../test/patience.ts'
import { makeFlow, readStoredRows } from '../../../test/reports.ts'

let app: TestApp
beforeAll(async () => {
  // With no limit on processor time, an endless rule acts like one that gets no processor time.
  const jq_limits = { step_ms: PATIENCE_MS, work_ms: PATIENCE_MS, hang_ms: 300 }
  app = await startTestApp({ jq_limits })
  await makeFlow(app, 'ci')
  await app.member.put('/trails/acme/ci', { name: 'run' })
  // The rule compiles at once; only its evaluation never ends.
  const type = { name: 'slow', evaluator: { content_type: 'jq', rules: ['def f: f; f'] } }
  expect((await app.member.post('/custom-attestation-types/acme', type)).status).toBe(201)
})
afterAll(() => app.stop())

it('refuses the attestation for now, and keeps nothing of it', async () => {
  const before = await readStoredRows(app)
  const answer = await app.member.post('/attestations/acme/ci/trail/run/custom', {
    attestation_name: 'load',
    type_name: 'slow',
    attestation_data: { requests: 1 },
  })
  expect(answer.status).toBe(503)
  expect(answer.headers['retry-after']).toBe('1')
  expect(answer.body.message).toBe('The server is too busy to evaluate this at the moment; try again')
  expect(await readStoredRows(app)).toEqual(before)
})
