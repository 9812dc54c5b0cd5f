// From a change of an environment to the queued messages: each trigger, its recipients and its content, and that
// rolled-back changes queue nothing.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { TRIGGERS } from '../src/domain/notification/notice.ts'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from './environments.ts'
import { startTestApp, type TestApp, type TestResponse } from './harness.ts'
import { CHAT, HOOK, MAIL, makeNotification, takeKinds, takeMessages } from './notifications.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, SHA } from './reports.ts'
import { listStatements } from './statement-log.ts'

let app: TestApp
let made = 0
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'web')
  await putPolicy(app, 'strict', buildPolicyRequiring('tests'))
})
afterAll(() => app.stop())
afterEach(() => app.sql(`delete from outbox where kind = 'delivery'`))

async function addEnvironment(more: Record<string, unknown> = {}): Promise<string> {
  const name = `env-${++made}`
  await makeEnvironment(app, name, more)
  return name
}

const attest = (fingerprint: string, trail: string, is_compliant: boolean) =>
  app.member.post(`/attestations/acme/web/trail/${trail}/generic`, {
    attestation_name: 'tests',
    artifact_fingerprint: fingerprint,
    is_compliant,
  })

const allow = (environment: string, start: string, more: object = {}) =>
  app.member.put(`/allowlists/acme/${environment}`, {
    artifact_fingerprint: makeFingerprint(start),
    artifact_name: buildImageName(start),
    description: 'trusted',
    ...more,
  })

describe('artifacts', () => {
  it('start: a webhook gets a message for each, people get one for all', async () => {
    const environment = await addEnvironment()
    const { number } = await makeNotification(app, {
      environments: [environment],
      triggers: ['ON_STARTED_ARTIFACT'],
    })
    await report(app, environment, 'a1', { start: 'a2', pods: ['p1', 'p2'] })
    const messages = await takeMessages(app)
    expect(messages.map(({ type }) => type)).toEqual(['WEBHOOK', 'WEBHOOK', 'CHAT', 'EMAIL'])
    expect(messages.map(({ notice }) => notice.artifacts.map(({ name }) => name))).toEqual([
      [buildImageName('a1')],
      [buildImageName('a2')],
      [buildImageName('a1'), buildImageName('a2')],
      [buildImageName('a1'), buildImageName('a2')],
    ])
    expect(messages[1]?.notice).toEqual({
      about: 'environment',
      event_type: 'STARTED_ARTIFACT',
      org: 'acme',
      environment,
      notification: { number, name: 'told' },
      happened_at: app.clock.now().getTime() / 1000,
      actor: 'sam',
      snapshot: { index: 1, compliant: null },
      artifacts: [
        {
          name: buildImageName('a2'),
          fingerprint: makeFingerprint('a2'),
          change: 'started-unknown',
          compliant: null,
          instances: { was: 0, now: 2 },
          provenance: null,
          reasons: [],
        },
      ],
      artifacts_total: 1,
    })
  })

  it('stop and keep running: nobody is notified of triggers they did not choose', async () => {
    const environment = await addEnvironment()
    await makeNotification(app, {
      environments: [environment],
      triggers: ['ON_EXITED_ARTIFACT'],
      targets: [HOOK],
    })
    await report(app, environment, 'b1', 'b2')
    expect(await takeKinds(app)).toEqual([])
    await report(app, environment, 'b2')
    const [message, ...others] = await takeMessages(app)
    expect(others).toEqual([])
    expect(message?.notice).toMatchObject({
      event_type: 'EXITED_ARTIFACT',
      snapshot: { index: 2 },
      artifacts: [{ name: buildImageName('b1'), change: 'exited', instances: { was: 1, now: 0 } }],
    })
  })

  it('scale: only where the environment counts instances', async () => {
    for (const include_scaling of [true, false]) {
      const environment = await addEnvironment({ include_scaling })
      await makeNotification(app, {
        environments: [environment],
        triggers: ['ON_SCALED_ARTIFACT'],
        targets: [HOOK],
      })
      await report(app, environment, 'c1')
      await report(app, environment, { start: 'c1', pods: ['p1', 'p2', 'p3'] })
      const messages = await takeMessages(app)
      expect(messages.map(({ notice }) => notice.artifacts[0]?.instances)).toEqual(
        include_scaling ? [{ was: 1, now: 3 }] : [],
      )
    }
  })

  it('are announced with their provenance, also when they stop', async () => {
    const environment = await addEnvironment()
    await app.member.put('/trails/acme/web', { name: 'told' })
    await app.member.post('/artifacts/acme/web', makeBuild(makeFingerprint('d1'), nameTrail('told')))
    await makeNotification(app, {
      environments: [environment],
      triggers: ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT'],
      targets: [HOOK],
    })
    await report(app, environment, 'd1')
    await report(app, environment)
    const provenance = {
      flow_name: 'web',
      trail_name: 'told',
      artifact_state: 'COMPLIANT',
      git_commit: SHA,
      commit_url: 'https://git.example.com/1',
      build_url: 'https://ci.example.com/1',
    }
    const announced = (await takeMessages(app)).map(({ notice }) => notice.artifacts[0])
    expect(announced).toMatchObject([
      { change: 'started-unknown', provenance },
      { change: 'exited', provenance },
    ])
  })

  it('allow-listed: announced once, with the snapshot that follows', async () => {
    const environment = await addEnvironment()
    await makeNotification(app, {
      environments: [environment],
      triggers: ['ON_ALLOWED_ARTIFACT'],
      targets: [HOOK, CHAT],
    })
    await allow(environment, 'e1')
    expect((await takeMessages(app)).map(({ type, notice }) => [type, notice.snapshot])).toEqual([
      ['WEBHOOK', null],
      ['CHAT', null],
    ])
    await allow(environment, 'e1')
    await allow(environment, 'e1', { description: 'still trusted' })
    expect(await takeKinds(app)).toEqual([])
    await report(app, environment, 'e2')
    await allow(environment, 'e2')
    const [first] = await takeMessages(app)
    expect(first?.notice).toMatchObject({
      event_type: 'ALLOWED_ARTIFACT',
      actor: 'max',
      snapshot: { index: 1 },
      artifacts: [{ name: buildImageName('e2'), change: 'allow-listed', compliant: true }],
    })
  })
})

describe('the verdict of an environment', () => {
  it('is announced once when it changes, with the reasons', async () => {
    const environment = await addEnvironment()
    await app.member.put('/trails/acme/web', { name: 'turns' })
    await app.member.post('/artifacts/acme/web', makeBuild(makeFingerprint('f1'), nameTrail('turns')))
    await makeNotification(app, {
      environments: [environment],
      triggers: ['ON_COMPLIANT_ENV', 'ON_NON_COMPLIANT_ENV'],
    })
    await report(app, environment, 'f1')
    expect(await takeKinds(app)).toEqual([])
    await attach(app, environment, 'strict')
    const [red, ...more] = await takeMessages(app)
    expect(more.map(({ type }) => type)).toEqual(['CHAT', 'EMAIL'])
    expect(red?.notice).toMatchObject({
      event_type: 'NON_COMPLIANT_ENV',
      snapshot: { index: 2, compliant: false },
      artifacts_total: 1,
      artifacts: [
        {
          name: buildImageName('f1'),
          change: 'running',
          compliant: false,
          provenance: { flow_name: 'web', trail_name: 'turns' },
          reasons: [
            { policy_name: 'strict', attestation_name: 'tests', flow_name: 'web', trail_name: 'turns' },
          ],
        },
      ],
    })
    await report(app, environment, 'f1', 'f2')
    expect(await takeKinds(app)).toEqual([])
    await allow(environment, 'f2')
    await attest(makeFingerprint('f1'), 'turns', true)
    await app.evaluate()
    const [green, ...others] = await takeMessages(app)
    expect(others.map(({ type }) => type)).toEqual(['CHAT', 'EMAIL'])
    expect(green?.notice).toMatchObject({
      event_type: 'COMPLIANT_ENV',
      snapshot: { compliant: true },
      artifacts: [],
      artifacts_total: 0,
    })
  })

  it('changed by an artifact is announced for the artifact too', async () => {
    const environment = await addEnvironment()
    await app.member.put('/trails/acme/web', { name: 'turned' })
    await app.member.post('/artifacts/acme/web', makeBuild(makeFingerprint('ab'), nameTrail('turned')))
    await attest(makeFingerprint('ab'), 'turned', true)
    await attach(app, environment, 'strict')
    await report(app, environment, 'ab')
    await makeNotification(app, { environments: [environment], triggers: TRIGGERS, targets: [HOOK] })
    await attest(makeFingerprint('ab'), 'turned', false)
    await app.evaluate()
    const messages = await takeMessages(app)
    expect(messages.map(({ notice }) => [notice.event_type, notice.artifacts[0]?.change])).toEqual([
      ['SCALED_ARTIFACT', 'became-non-compliant'],
      ['NON_COMPLIANT_ENV', 'running'],
    ])
    expect(messages[0]?.notice.artifacts[0]?.reasons).toHaveLength(1)
  })

  it('counts the artifacts that it does not list', async () => {
    const environment = await addEnvironment()
    await attach(app, environment, 'strict')
    await makeNotification(app, {
      environments: [environment],
      triggers: ['ON_NON_COMPLIANT_ENV'],
      targets: [MAIL],
    })
    await report(app, environment, ...Array.from({ length: 12 }, (_, i) => (i + 16).toString(16)))
    const [message] = await takeMessages(app)
    expect(message?.notice.artifacts).toHaveLength(10)
    expect(message?.notice.artifacts_total).toBe(12)
  })
})

describe('a logical environment', () => {
  it('announces changes in its members under its own name', async () => {
    const [member, other] = [await addEnvironment(), await addEnvironment()]
    const logical = await addEnvironment({ type: 'logical', included_environments: [member, other] })
    await attach(app, member, 'strict')
    await makeNotification(app, { environments: [logical], triggers: TRIGGERS, targets: [HOOK] })
    await report(app, member, 'ad')
    await allow(member, 'ad')
    const messages = await takeMessages(app)
    expect(messages.map(({ notice }) => [notice.environment, notice.event_type])).toEqual([
      [logical, 'STARTED_ARTIFACT'],
      [logical, 'NON_COMPLIANT_ENV'],
      [logical, 'SCALED_ARTIFACT'],
      [logical, 'ALLOWED_ARTIFACT'],
    ])
    expect(messages[1]?.notice.artifacts).toMatchObject([{ name: buildImageName('ad'), compliant: false }])
  })
})

describe('nothing is queued', () => {
  const invite = (email: string) => app.admin.post('/invitations/acme', { email, role: 'reader' })

  it.each<[string, number, (environment: string, number: number) => Promise<() => Promise<TestResponse>>]>([
    ['a report', 3, async environment => () => report(app, environment, 'ae')],
    ['an entry in the allow-list', 3, async environment => () => allow(environment, 'ae')],
    [
      'a test of a notification',
      3,
      async (_, number) => () =>
        app.member.post(`/organizations/acme/environments_notifications/${number}/test`),
    ],
    ['an invitation', 1, async () => () => invite('ines@example.com')],
    [
      'an invitation that is sent again',
      1,
      async () => {
        const { id } = (await invite('ivan@example.com')).body
        return () => app.admin.post(`/invitations/acme/${id}/resend`)
      },
    ],
  ])('for a change that was rolled back: %s', async (_what, messages, prepare) => {
    const environment = await addEnvironment()
    const { number } = await makeNotification(app, { environments: [environment], triggers: TRIGGERS })
    const change = await prepare(environment, number)
    const before = await countWaiting()
    await refuseCommits()
    const { status } = await change()
    await app.sql('drop function refuse cascade')
    expect(status).toBe(503)
    expect(await countWaiting()).toBe(before)
    expect((await change()).status).toBeLessThan(300)
    expect(await countWaiting()).toBe(before + messages)
  })

  /** Counts messages and mails. */
  async function countWaiting(): Promise<number> {
    return Number((await app.sql('select count(*) from outbox'))[0]?.count)
  }

  /** Makes every commit that records an event fail. */
  async function refuseCommits(): Promise<void> {
    await app.sql(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no room' using errcode = '53100'; end $$`)
    await app.sql(`create constraint trigger refuse after insert on events deferrable initially deferred
      for each row execute function refuse()`)
  }

  it('for targets that are switched off or removed, or a notification that was deleted', async () => {
    const environment = await addEnvironment()
    const { number } = await makeNotification(app, { environments: [environment], triggers: TRIGGERS })
    await app.sql(`update notification_targets set switched_off_at = now() where type = 'CHAT'`)
    await app.sql(`update notification_targets set removed_at = now() where type = 'EMAIL'`)
    await report(app, environment, 'af')
    expect(await takeKinds(app)).toEqual(['WEBHOOK STARTED_ARTIFACT'])
    await app.member.delete(`/organizations/acme/environments_notifications/${number}`)
    await report(app, environment)
    expect(await takeKinds(app)).toEqual([])
  })

  it('twice when the same report arrives several times', async () => {
    const environment = await addEnvironment()
    await makeNotification(app, { environments: [environment], triggers: TRIGGERS, targets: [HOOK] })
    const racers = Array.from({ length: 8 }, () => report(app, environment, 'ba'))
    expect((await Promise.all(racers)).every(({ status }) => status === 200 || status === 201)).toBe(true)
    expect(await takeKinds(app)).toEqual(['WEBHOOK STARTED_ARTIFACT'])
  })
})

describe('the cost', () => {
  const buildPods = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => (from + i).toString(16).padStart(4, '0'))

  it('is the same for ten artifacts as for five hundred', async () => {
    const sent: string[][] = []
    for (const count of [10, 500]) {
      const environment = await addEnvironment()
      await makeNotification(app, { environments: [environment], triggers: TRIGGERS, targets: [HOOK] })
      sent.push(await listStatements(app, () => report(app, environment, ...buildPods(0x4000, count))))
      expect(await takeKinds(app)).toHaveLength(count)
    }
    expect(sent[1]).toEqual(sent[0])
  })

  it('is no extra statement without subscribers, and three with some', async () => {
    const quiet = await addEnvironment()
    const subscribed = await addEnvironment()
    await makeNotification(app, { environments: [subscribed], triggers: TRIGGERS, targets: [HOOK] })
    const alone = await listStatements(app, () => report(app, quiet, 'bb'))
    const statements = await listStatements(app, () => report(app, subscribed, 'bb'))
    expect(statements).toHaveLength(alone.length + 3)
  })
})
