// Section 6: every trigger, from the change to the message that a receiver gets. Each has its own receiver, so that
// messages sent by mistake are noticed too.

import { type HttpsSink, startHttpsSink } from '@waybill/testing/tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  readLatestIndex,
  report,
} from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { until } from '../patience.ts'
import { makeFingerprint } from '../reports.ts'

const NOTIFICATIONS = '/organizations/acme/environments_notifications'
const TRIGGERS = [
  'ON_ALLOWED_ARTIFACT',
  'ON_COMPLIANT_ENV',
  'ON_EXITED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_SCALED_ARTIFACT',
  'ON_STARTED_ARTIFACT',
]

let app: TestApp
let sink: HttpsSink
beforeAll(async () => {
  sink = await startHttpsSink()
  app = await startTestApp({
    trusted_ca: sink.ca_pem,
    settings: { WAYBILL_ROLE: 'all', WAYBILL_EGRESS_ALLOW: '127.0.0.0/8' },
  })
  await putPolicy(app, 'strict', buildPolicyRequiring('unit'))
  await addSubscribedEnvironment('prod', true)
  await addSubscribedEnvironment('quiet', false)
})
afterAll(async () => {
  await app.stop()
  await sink.stop()
})

/** Adds an environment, and for each trigger a notification to a path of the same name. */
async function addSubscribedEnvironment(environment: string, include_scaling: boolean): Promise<void> {
  await makeEnvironment(app, environment, { include_scaling })
  for (const trigger of TRIGGERS) {
    const targets = [{ type: 'WEBHOOK', webhook: `${sink.url}/${environment}/${trigger}` }]
    const wanted = {
      name: `${environment} ${trigger}`,
      environments: [environment],
      triggers: [trigger],
      targets,
    }
    expect((await app.admin.put(NOTIFICATIONS, wanted)).status).toBe(201)
  }
}

/** Waits until all queued messages have arrived; requests queue them before they return. */
async function waitForArrival(): Promise<void> {
  const pending = '/notification-deliveries/acme?status=pending'
  await until(async () => (await app.admin.get(pending)).body.deliveries.length === 0)
}

/** Returns the triggers that fired in an environment since the last call. */
async function takeFired(environment: string): Promise<string[]> {
  await waitForArrival()
  const fired = sink.requests.splice(0).map(({ path, body }) => {
    const [, where, trigger = ''] = path.split('/')
    const { event_type, environment: named } = JSON.parse(body)
    expect([where, named, `ON_${event_type}`]).toEqual([environment, environment, trigger])
    return trigger
  })
  return fired.toSorted()
}

const buildThreePods = (start: string) => ({ start, pods: ['p1', 'p2', 'p3'] })
const allow = (environment: string, start: string) =>
  app.member.put(`/allowlists/acme/${environment}`, {
    artifact_fingerprint: makeFingerprint(start),
    artifact_name: buildImageName(start),
    description: 'trusted',
  })

describe('a trigger fires', () => {
  it('ON_STARTED_ARTIFACT: when something starts', async () => {
    await report(app, 'prod', 'a1')
    expect(await takeFired('prod')).toEqual(['ON_STARTED_ARTIFACT'])
    await report(app, 'prod', 'a1')
    expect(await takeFired('prod')).toEqual([])
  })

  it('ON_SCALED_ARTIFACT: when the number of instances changes', async () => {
    await report(app, 'prod', buildThreePods('a1'))
    expect(await takeFired('prod')).toEqual(['ON_SCALED_ARTIFACT'])
  })

  it('ON_NON_COMPLIANT_ENV and ON_COMPLIANT_ENV: once, when the verdict changes', async () => {
    await attach(app, 'prod', 'strict')
    expect(await takeFired('prod')).toEqual(['ON_NON_COMPLIANT_ENV', 'ON_SCALED_ARTIFACT'])
    await report(app, 'prod', buildThreePods('a1'), 'a2')
    expect(await takeFired('prod')).toEqual(['ON_STARTED_ARTIFACT'])
    await app.member.delete('/environments/acme/prod/policies', { policy_names: ['strict'] })
    await putPolicy(app, 'lax', '_schema: https://waybill.example/v1\n')
    await takeFired('prod')
    await attach(app, 'prod', 'lax')
    expect(await takeFired('prod')).toEqual(['ON_COMPLIANT_ENV', 'ON_SCALED_ARTIFACT', 'ON_SCALED_ARTIFACT'])
  })

  it('ON_ALLOWED_ARTIFACT: when something is allowed', async () => {
    await allow('prod', 'a9')
    expect(await takeFired('prod')).toEqual(['ON_ALLOWED_ARTIFACT'])
    await allow('prod', 'a9')
    expect(await takeFired('prod')).toEqual([])
  })

  it('ON_EXITED_ARTIFACT: when something stops', async () => {
    await report(app, 'prod', buildThreePods('a1'))
    expect(await takeFired('prod')).toEqual(['ON_EXITED_ARTIFACT'])
  })

  it('ON_SCALED_ARTIFACT: not by a number when the environment does not count instances', async () => {
    await report(app, 'quiet', 'b1')
    expect(await takeFired('quiet')).toEqual(['ON_STARTED_ARTIFACT'])
    await report(app, 'quiet', buildThreePods('b1'))
    expect([await takeFired('quiet'), await readLatestIndex(app, 'quiet')]).toEqual([[], 1])
    await app.member.patch('/environments/acme/quiet', { include_scaling: true })
    await report(app, 'quiet', 'b1')
    expect([await takeFired('quiet'), await readLatestIndex(app, 'quiet')]).toEqual([
      ['ON_SCALED_ARTIFACT'],
      2,
    ])
  })

  it('each under its own name, and every one of them did', async () => {
    await makeEnvironment(app, 'all', { include_scaling: true })
    const targets = [{ type: 'WEBHOOK', webhook: `${sink.url}/all` }]
    await app.admin.put(NOTIFICATIONS, { name: 'all', environments: ['all'], triggers: TRIGGERS, targets })
    await report(app, 'all', 'c1')
    await report(app, 'all', buildThreePods('c1'))
    await attach(app, 'all', 'strict')
    await allow('all', 'c1')
    await report(app, 'all')
    await waitForArrival()
    const received = sink.requests.map(({ body }) => `ON_${JSON.parse(body).event_type}`)
    expect([...new Set(received)].toSorted()).toEqual(TRIGGERS)
  })
})
