// A receiver that hangs costs the other targets of its organization nothing, and it is paused after a few failures.
import { type HttpsSink, makeTestCa, startHttpsSink } from '@waybill/testing/tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeEnvironment, report } from './environments.ts'
import { type TestApp, testApp } from './harness.ts'
import { until } from './patience.ts'

const MESSAGES = 100
const PLACES = 2

let app: TestApp
let hanging: HttpsSink
let healthy: HttpsSink
beforeAll(async () => {
  const ca = await makeTestCa()
  hanging = await startHttpsSink({ ca })
  healthy = await startHttpsSink({ ca })
  hanging.answer = () => undefined
  app = await testApp({
    trusted_ca: ca.ca_pem,
    settings: { WAYBILL_ROLE: 'all', WAYBILL_EGRESS_ALLOW: '127.0.0.0/8', WAYBILL_DNS_SERVER: '127.0.0.1:9' },
  })
})
afterAll(async () => {
  await hanging.stop()
  await app.stop()
  await healthy.stop()
})

it('a healthy target gets every message while another target of the organization hangs', async () => {
  await makeEnvironment(app, 'production')
  const targets = [hanging, healthy].map(({ url }) => ({ type: 'WEBHOOK', webhook: `${url}/hook` }))
  await app.admin.put('/organizations/acme/environments_notifications', {
    name: 'starts',
    environments: ['production'],
    triggers: ['ON_STARTED_ARTIFACT'],
    targets,
  })
  const starts = Array.from({ length: MESSAGES }, (_, nth) => nth.toString(16).padStart(4, '0'))
  await report(app, 'production', ...starts)
  await until(() => healthy.requests.length === MESSAGES)
  const ids = healthy.requests.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(MESSAGES)
  expect(hanging.requests).toHaveLength(PLACES)
  const waiting = await app.sql('select attempts from outbox where finished_at is null and attempts = 0')
  expect(waiting).toHaveLength(MESSAGES - PLACES)
})
