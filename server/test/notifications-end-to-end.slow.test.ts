// Notifications from end to end, with the built program, TLS receivers and a mail server: when an environment becomes
// non-compliant, every target is notified. A kill between storing and sending loses nothing, and the delivery log has
// each result.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type HttpsSink, startHttpsSink } from '@waybill/testing/tls'
import PostalMime from 'postal-mime'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildPodReport } from './environments.ts'
import { type MailSink, startMailSink } from './mail-sink.ts'
import { until } from './patience.ts'
import { addCleanUp, makeDataDirectory, makeScratchFolder, type Service, startService } from './service.ts'

const ORG = 'demo-org'
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`
const POLICY =
  '_schema: https://waybill.example/schemas/policy/v1\nartifacts:\n  provenance:\n    required: true\n'
const RED = 'The unknown & dangerous'
const TEAM = 'team@acme.example'

let service: Service
let sink: HttpsSink
let mails: MailSink
let key: string | undefined
let env: Record<string, string>
const data_dir = makeDataDirectory()

beforeAll(async () => {
  sink = await startHttpsSink()
  mails = await startMailSink()
  addCleanUp(() => Promise.all([sink.stop(), mails.stop()]))
  const ca_file = join(makeScratchFolder(), 'ca.pem')
  writeFileSync(ca_file, sink.ca_pem)
  env = {
    NODE_EXTRA_CA_CERTS: ca_file,
    WAYBILL_EGRESS_ALLOW: '127.0.0.0/8',
    WAYBILL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    WAYBILL_MAIL_FROM: 'Waybill <robot@waybill.example>',
    WAYBILL_RETRY_SCHEDULE: '0,1,1,1',
  }
  service = await startService({ data_dir, env })
  key = service.key
  await api('PUT', `/policies/${ORG}/strict`, { policy_yaml: POLICY })
  for (const name of ['prod', 'staging']) {
    await api('PUT', `/environments/${ORG}`, { name, type: 'K8S', description: '' })
    await api('POST', `/environments/${ORG}/${name}/policies`, { policy_names: ['strict'] })
  }
})

async function api(method: string, path: string, body?: unknown) {
  const { status, text } = await service.call(method, `/api/v2${path}`, { key, body })
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return JSON.parse(text)
}

/** Reports a running artifact of this name without provenance, and more artifacts. */
const turnRed = (environment: string, name: string, ...more: string[]) => {
  const [pod] = buildPodReport('a1').artifacts
  const running = { ...pod, digests: { [name]: 'a1'.repeat(32) } }
  const artifacts = [running, ...buildPodReport(...more).artifacts]
  return api('PUT', `/environments/${ORG}/${environment}/report/K8S`, { artifacts })
}

const requestsTo = (path: string) => sink.requests.filter(request => request.path === path)
const readLog = async () => (await api('GET', `/notification-deliveries/${ORG}`)).deliveries

describe('an environment that becomes non-compliant', () => {
  it('notifies a webhook, a chat and people', async () => {
    await api('PUT', `/organizations/${ORG}/environments_notifications`, {
      name: 'on call',
      type: 'env',
      environments: ['prod'],
      triggers: ['ON_NON_COMPLIANT_ENV'],
      targets: [
        { type: 'WEBHOOK', webhook: `${sink.url}/hook`, secret: SECRET },
        { type: 'CHAT', webhook: `${sink.url}/chat` },
        { type: 'EMAIL', emails: [TEAM] },
      ],
    })
    await turnRed('prod', RED)
    await until(() => sink.requests.length === 2 && mails.arrived.length === 1)
  })

  it('sends a signature that a receiver can verify, and the reasons', () => {
    const [hook] = requestsTo('/hook')
    const headers = hook?.headers as Record<string, string>
    const body = new Webhook(SECRET).verify(hook?.body ?? '', headers) as Record<string, unknown>
    expect(body).toMatchObject({
      version: '1.0',
      event_type: 'NON_COMPLIANT_ENV',
      org: ORG,
      environment: 'prod',
      artifact: null,
      snapshot: {
        index: '1',
        status: 'non-compliant',
        api_url: `${service.url}/api/v2/snapshots/${ORG}/prod/1`,
      },
      reasons: [{ artifact_name: RED, policy_name: 'strict', rule: 'provenance' }],
    })
    expect(() => new Webhook(SECRET).verify(`${hook?.body} `, headers)).toThrow()
  })

  it('sends text that people can read', async () => {
    const [chat] = requestsTo('/chat')
    const message = JSON.parse(chat?.body ?? '')
    expect(message.text).toContain('NON-COMPLIANT')
    expect(chat?.body).toContain('The unknown &amp; dangerous')
    const mail = await PostalMime.parse(mails.arrived[0]?.raw ?? '')
    expect(mails.arrived[0]?.to).toBe(TEAM)
    expect(mail.subject).toContain('NON-COMPLIANT')
    expect(mail.text).toContain(RED)
    expect(mail.html).toContain('The unknown &amp; dangerous')
    expect(mail.text).toContain(`${service.url}/${ORG}/environments/prod`)
  })

  it('is in the delivery log', async () => {
    await until(async () =>
      (await readLog()).every(({ status }: { status: string }) => status === 'delivered'),
    )
    const deliveries = await readLog()
    expect(deliveries.map(({ target }: { target: { type: string } }) => target.type).sort()).toEqual([
      'CHAT',
      'EMAIL',
      'WEBHOOK',
    ])
    const hook = deliveries.find(({ target }: { target: { type: string } }) => target.type === 'WEBHOOK')
    expect(hook).toMatchObject({
      id: requestsTo('/hook')[0]?.headers['webhook-id'],
      attempts: 1,
      error: null,
    })
    const [notification] = await api('GET', `/organizations/${ORG}/environments_notifications`)
    expect(notification.is_failing).toBe(false)
    expect(notification.last_success_timestamp).toBeGreaterThan(0)
  })
})

describe('a program that is killed between storing and sending', () => {
  it('notifies everyone after a restart', async () => {
    await api('PUT', `/organizations/${ORG}/environments_notifications`, {
      name: 'everybody',
      environments: ['staging'],
      triggers: ['ON_NON_COMPLIANT_ENV'],
      targets: [
        { type: 'WEBHOOK', webhook: `${sink.url}/late` },
        { type: 'CHAT', webhook: `${sink.url}/late-chat` },
        { type: 'EMAIL', emails: ['late@acme.example'] },
      ],
    })
    service.signal('SIGTERM')
    await service.ended
    // This role stores notifications and sends none.
    service = await startService({ data_dir, env: { ...env, WAYBILL_ROLE: 'serve' } })
    await turnRed('staging', 'late')
    service.signal('SIGKILL')
    await service.ended
    expect(requestsTo('/late')).toEqual([])
    service = await startService({ data_dir, env })
    await until(
      () => requestsTo('/late').length > 0 && requestsTo('/late-chat').length > 0 && mails.arrived.length > 1,
    )
    expect(requestsTo('/late')).toHaveLength(1)
    expect(mails.arrived.map(({ to }) => to)).toEqual([TEAM, 'late@acme.example'])
  })

  it('logs a receiver that fails, retries with the same id, and stops after success', async () => {
    let failures = 2
    sink.answer = ({ path }) =>
      path === '/flaky' && failures-- > 0 ? { status: 500, body: 'not today' } : { status: 200 }
    await api('PUT', `/organizations/${ORG}/environments_notifications`, {
      name: 'flaky',
      environments: ['staging'],
      triggers: ['ON_STARTED_ARTIFACT'],
      targets: [{ type: 'WEBHOOK', webhook: `${sink.url}/flaky` }],
    })
    await turnRed('staging', 'late', 'b1')
    await until(() => requestsTo('/flaky').length === 3)
    expect(new Set(requestsTo('/flaky').map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    await until(async () => (await readLog())[0].status === 'delivered')
    const [{ id }] = await readLog()
    const { attempt_log } = await api('GET', `/notification-deliveries/${ORG}/${id}`)
    const shown = attempt_log.map(({ status, error, answer }: Record<string, unknown>) => [
      status,
      error,
      answer,
    ])
    expect(shown).toEqual([
      [500, 'The receiver answered 500', 'not today'],
      [500, 'The receiver answered 500', 'not today'],
      [200, null, ''],
    ])
  })

  it('resends a delivery on request', async () => {
    const [{ id }] = await readLog()
    await api('POST', `/notification-deliveries/${ORG}/${id}/replay`)
    await until(() => requestsTo('/flaky').length === 4)
    expect(new Set(requestsTo('/flaky').map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })
})
