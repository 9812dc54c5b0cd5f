// Uses secrets of every kind, then searches for each of them: in the database, a backup, every file, the log,
// responses, errors, mails and OpenTelemetry exports. A secret must appear only in the response or mail that hands it
// over.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../src/lib/clock.ts'
import { SESSION_COOKIE } from '../src/lib/session-token.ts'
import { type CiIssuer, signToken, startIssuer } from './ci-issuer.ts'
import { type Collector, startCollector } from './collector.ts'
import { readFiles } from './files.ts'
import type { TestApp } from './harness.ts'
import { CLIENT, type RealProvider, startRealProvider } from './identity-providers.ts'
import { type MailSink, startMailSink } from './mail-sink.ts'
import { plantTargets } from './notification-targets.ts'
import { getSecretPart, listEncodings, makeVault, type Place } from './planted.ts'
import {
  addCleanUp,
  connectOwner,
  findFreePort,
  makeDataDirectory,
  makeScratchFolder,
  runProgram,
  type Service,
  startService,
} from './service.ts'
import { newVisitor, type Visit, type Visitor } from './visitor.ts'

const ORG = 'demo-org'
const EMAIL = 'cleo@example.com'
const api = (path: string) => `/api/v2${path}`
const random = () => randomBytes(24).toString('base64')

const vault = makeVault()
/** Every response of the service and every output of the admin program. */
const answers: Place[] = []
let data_dir: string
let service: Service
let sink: MailSink
let collector: Collector
let issuer: CiIssuer
let provider: RealProvider
let admin: Visitor
let cleo: Visitor

function watch(what: string, { text, headers }: Visit): void {
  const kept = JSON.stringify([...headers].filter(([name]) => name !== 'x-request-id'))
  answers.push({ label: `${answers.length} ${what}`, content: `${text}\n${kept}` })
}

/** The label of the response that handed over the latest secret. */
const getLatestLabel = () => answers.at(-1)?.label ?? ''

async function call(method: string, path: string, headers: Record<string, string>, body?: unknown) {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await fetch(service.url + path, {
    method,
    redirect: 'manual',
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  watch(`${method} ${path}`, { status: answer.status, text, body: undefined, headers: answer.headers })
  return { status: answer.status, text }
}

async function runAdmin(args: string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(['admin', ...args], {
    data_dir,
    ...(input ? { input } : {}),
  })
  expect(code, stderr).toBe(0)
  answers.push({ label: `${answers.length} admin ${args.join(' ')}`, content: stdout + stderr })
  return stdout
}

function plantSession(who: string, visitor: Visitor): void {
  vault.plant(`the session of ${who}`, visitor.cookies.get(SESSION_COOKIE) ?? '', getLatestLabel())
  const browser = visitor.cookies.get('__Host-waybill-browser')
  if (browser === undefined) return
  const shown = answers.filter(({ content }) => content.includes(browser)).map(({ label }) => label)
  vault.plant(`the browser of ${who}`, browser, ...shown)
}

async function start(): Promise<void> {
  const password = vault.plant('the password of the mail server', randomBytes(24).toString('base64url'))
  sink = await startMailSink({ user: 'robot', password })
  issuer = await startIssuer()
  const port = await findFreePort()
  provider = await startRealProvider(`http://127.0.0.1:${port}/auth/sso/sso/callback`)
  addCleanUp(() => Promise.all([sink.stop(), issuer.stop(), provider.stop()]))
  collector = await startCollector()
  data_dir = makeDataDirectory()
  const env = {
    WAYBILL_LOG_LEVEL: 'trace',
    WAYBILL_SECRET_KEY: vault.plant('the secret key', random()),
    WAYBILL_SMTP_URL: `smtp://robot:${encodeURIComponent(password)}@127.0.0.1:${sink.port}`,
    WAYBILL_MAIL_FROM: 'robot@waybill.example',
    WAYBILL_CI_ISSUERS: issuer.url,
    // Nothing listens there, so no webhook is reached.
    WAYBILL_DNS_SERVER: '127.0.0.1:9',
    WAYBILL_OIDC_ISSUER: provider.issuer,
    WAYBILL_OIDC_CLIENT_ID: CLIENT.client_id,
    WAYBILL_OIDC_CLIENT_SECRET: vault.plant('the client secret', CLIENT.client_secret),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${encodeURIComponent(vault.plant('the key of the collector', random()))}`,
    AWS_ACCESS_KEY_ID: 'unused',
    AWS_SECRET_ACCESS_KEY: vault.plant('the key of the evidence store', random()),
  }
  service = await startService({ data_dir, port, env })
  vault.plant('the first key', service.key ?? '')
}

async function signInFirstAdmin(): Promise<void> {
  admin = newVisitor(service.url, watch)
  const link = /\/auth\/link\?token=(wb_link_\w+)$/m.exec(service.stdout())?.[1] ?? ''
  await admin.redeem(link)
  // The form on the link's page has it.
  vault.plant('the first link', link, answers.at(-2)?.label ?? '')
  plantSession('the admin', admin)
}

async function useKeys(): Promise<void> {
  const made = (await admin.send('POST', api('/user/api-keys'), { description: 'laptop' })).body
  vault.plant('a personal key', made.key, getLatestLabel())
  const rotated = (await admin.send('POST', api(`/user/api-keys/${made.id}/rotate`), {})).body
  vault.plant('a rotated personal key', rotated.key, getLatestLabel())
  await call('GET', api(`/flows/${ORG}`), { authorization: `Bearer ${rotated.key}` })
  await admin.send('DELETE', api(`/user/api-keys/${made.id}`))
  await call('GET', api(`/flows/${ORG}`), { authorization: `Bearer ${made.key}` })
  await admin.send('POST', api(`/service-accounts/${ORG}`), { name: 'robot', privilege: 'member' })
  const path = api(`/service-accounts/${ORG}/robot/api-keys`)
  const robot = (await admin.send('POST', path, { description: 'build' })).body
  vault.plant('a key of a service account', robot.key, getLatestLabel())
  const next = (await admin.send('POST', `${path}/${robot.id}/rotate`, { grace_period_hours: 1 })).body
  vault.plant('a rotated key of a service account', next.key, getLatestLabel())
  const scim = (await admin.send('POST', api(`/scim-tokens/${ORG}`), { description: 'idp' })).body
  vault.plant('a SCIM token', scim.token, getLatestLabel())
  const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'pia@example.com' }
  const provisioned = { ...user, password: vault.plant('a password by SCIM', random()) }
  const made_by_scim = await call(
    'POST',
    `/scim/v2/${ORG}/Users`,
    { authorization: `Bearer ${scim.token}` },
    provisioned,
  )
  expect(made_by_scim.status).toBe(201)
}

async function runCiJob(): Promise<void> {
  const rule = { name: 'ci', issuer: issuer.url, claims: { repository_id: '74' }, privilege: 'member' }
  const made = await admin.send('POST', api(`/trust-rules/${ORG}`), rule)
  const clocked = { clock: systemClock } as unknown as TestApp
  const token = await signToken(clocked, issuer, { aud: made.body.audience })
  vault.plant('the token of a CI job', token.split('.')[2] ?? '')
  vault.plant('what a CI job says', token.split('.')[1] ?? '')
  const path = api(`/keyless/${ORG}/exchange`)
  const { status, text } = await call('POST', path, {}, { token })
  expect(status, text).toBe(201)
  vault.plant('a key of a CI job', JSON.parse(text).key, getLatestLabel())
  const wrongs = [{ token }, { token: `${token}x` }, { token: [token] }, { token: token.repeat(40) }]
  for (const wrong of [...wrongs, { tokens: token }, token]) await call('POST', path, {}, wrong)
}

async function inviteColleague(): Promise<void> {
  cleo = newVisitor(service.url, watch)
  await admin.send('POST', api(`/invitations/${ORG}`), { email: EMAIL, role: 'member' })
  const invitation = vault.plant(
    'an invitation',
    await sink.read(EMAIL, /[?#]token=(wb_inv_\w+)/),
    `mail 0 to ${EMAIL}`,
  )
  const made = await runAdmin(['user', 'create', 'cleo', '--email', EMAIL])
  vault.plant('a key by the admin program', /wb_user_\w+/.exec(made)?.[0] ?? '', getLatestLabel())
  await cleo.submit('/auth/link', { email: EMAIL })
  const link = await sink.read(EMAIL, /\/auth\/link\?token=(wb_link_\w+)/)
  await cleo.redeem(link)
  vault.plant('a mailed link', link, answers.at(-2)?.label ?? '', `mail 1 to ${EMAIL}`)
  plantSession('the colleague', cleo)
  expect((await cleo.send('POST', api('/user/invitations/accept'), { token: invitation })).status).toBe(200)
  const imported = vault.plant('an imported key', random())
  await runAdmin(['key', 'import', '--user', 'cleo'], imported)
  const applied = vault.plant('a key of a set-up file', random())
  await runAdmin(['apply', '-'], `users:\n  - name: cleo\n    api_keys:\n      - secret: ${applied}\n`)
  for (const key of [imported, applied]) {
    expect((await call('GET', api(`/flows/${ORG}`), { authorization: `Bearer ${key}` })).status).toBe(200)
  }
  await runAdmin(['key', 'list', '--user', 'cleo'])
}

async function signInWithProvider(): Promise<void> {
  const visitor = newVisitor(service.url, watch)
  const begun = await visitor.get('/auth/sso/sso')
  const address = begun.headers.get('location') ?? ''
  const asked = getLatestLabel()
  const back = await provider.signIn(address, { sub: 'cleo-sub', email: EMAIL, email_verified: true })
  const query = new URL(back).searchParams
  vault.plant('the code of a sign-in', query.get('code') ?? '')
  vault.plant('the state of a sign-in', query.get('state') ?? '', asked)
  vault.plant('the nonce of a sign-in', new URL(address).searchParams.get('nonce') ?? '', asked)
  const entered = await visitor.get(back.slice(service.url.length))
  expect(entered.status).toBe(303)
  plantSession('single sign-on', visitor)
  await visitor.get(back.slice(service.url.length))
}

/** Sends every secret where it does not belong. */
async function sendMisplaced(): Promise<void> {
  const authorization = `Bearer ${vault.plant('junk', random())}`
  await call('GET', api(`/flows/${ORG}`), { authorization })
  const pair = `${vault.plant('a Basic user', random())}:${vault.plant('a Basic password', random())}`
  await call('GET', api(`/flows/${ORG}`), { authorization: `Basic ${Buffer.from(pair).toString('base64')}` })
  await call('GET', api(`/flows/${ORG}`), { authorization: pair })
  const known = { authorization: `Bearer ${service.key}` }
  for (const { secret } of vault.planted.filter(one => one.secret.startsWith('wb_'))) {
    await call('GET', api(`/flows/${ORG}`), { authorization: `Bearer ${secret.slice(0, -1)}` })
    await call('GET', api(`/flows/${ORG}`), { cookie: `${SESSION_COOKIE}=${secret}` })
    await call('GET', `/scim/v2/${ORG}/Users`, { authorization: `Bearer ${secret}` })
    for (const token of [secret, `${secret}x`, [secret], { secret }, secret.repeat(20)]) {
      await call('POST', api('/user/invitations/accept'), known, { token })
      await call('POST', api('/user/invitations/accept'), known, { token, access_token: secret })
      await call('POST', api(`/keyless/${ORG}/exchange`), {}, { token })
      await call('POST', '/auth/link', {}, { email: token })
      if (token !== secret || !secret.startsWith('wb_link'))
        await call('POST', '/auth/link/redeem', {}, { token })
    }
    await call('GET', api(`/flows/${ORG}?access_token=${secret}`), known)
    await call('GET', `/auth/link?token=${secret}x`, {})
    await call('GET', `/auth/sso/sso/callback?code=${secret}&state=${secret}`, {})
  }
}

async function sendPasswordInUrl(): Promise<void> {
  const known = { authorization: `Bearer ${service.key}` }
  const password = vault.plant('a password in an address', randomBytes(24).toString('hex'))
  const url = `https://robot:${password}@git.example.com/acme/backend`
  await call('PUT', api(`/flows/${ORG}`), known, { name: 'flow', description: '' })
  const repo_info = { id: '1', name: 'acme/backend', url, provider: 'gitlab' }
  const trail = await call('PUT', api(`/trails/${ORG}/flow`), known, {
    name: 'trail',
    origin_url: url,
    repo_info,
  })
  const artifact = {
    fingerprint: 'b'.repeat(64),
    filename: 'backend',
    git_commit: '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1',
    build_url: url,
    commit_url: `${url}/commit/1`,
    repo_url: url,
    trail_name: 'trail',
    template_reference_name: 'backend',
  }
  const reported = await call('POST', api(`/artifacts/${ORG}/flow`), known, artifact)
  expect([trail.status, reported.status]).toEqual([201, 201])
  for (const path of [
    'trails/demo-org/flow/trail',
    `artifacts/${ORG}/flow/fingerprint/${artifact.fingerprint}`,
  ]) {
    expect((await call('GET', api(`/${path}`), known)).text).toContain('https://git.example.com/acme/backend')
  }
}

async function readEverything(): Promise<void> {
  const lists = [
    'flows',
    'service-accounts',
    'scim-tokens',
    'invitations',
    'members',
    'trust-rules',
    'audit-events',
  ]
  for (const list of [...lists, 'membership-audit-log', 'repos', 'service-accounts/robot/api-keys']) {
    const [head = '', ...rest] = list.split('/')
    await admin.get(api(`/${[head, ORG, ...rest].join('/')}`))
  }
  const own = ['/user/api-keys', '/user/sessions', '/openapi.json', '/meta'].map(api)
  for (const path of [...own, '/metrics', '/ready', '/healthz', '/auth/session']) await admin.get(path)
  // Signed out: these renew the cookie of the browser that asks.
  const stranger = newVisitor(service.url, watch)
  for (const path of ['/sign-in', '/auth/providers']) await stranger.get(path)
  await runAdmin(['check'])
}

beforeAll(async () => {
  await start()
  await signInFirstAdmin()
  await useKeys()
  await runCiJob()
  await inviteColleague()
  await signInWithProvider()
  await plantTargets({ vault, admin, member: cleo, org: ORG, getLatestLabel })
  await sendMisplaced()
  await sendPasswordInUrl()
  await readEverything()
})

async function readRows(owner: pg.Client): Promise<Place[]> {
  const { rows: tables } = await owner.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const places: Place[] = []
  for (const { name } of tables) {
    const { rows } = await owner.query(`select to_jsonb(t)::text as line from ${name} t`)
    places.push({ label: name, content: rows.map(({ line }) => line).join('\n') })
  }
  return places
}

describe('the search', () => {
  it('covers enough secrets, each handed over where it is allowed', () => {
    expect(vault.planted.length).toBeGreaterThanOrEqual(25)
    expect(new Set(vault.planted.map(({ secret }) => getSecretPart(secret))).size).toBe(vault.planted.length)
    for (const { name, secret, allowed } of vault.planted) {
      for (const { content } of answers.filter(({ label }) => allowed.has(label))) {
        expect(content.includes(getSecretPart(secret)), name).toBe(true)
      }
    }
  })

  it('finds a secret in every encoding, at any offset', () => {
    const { secret = '' } = vault.planted.find(({ name }) => name === 'a personal key') ?? {}
    for (const before of ['', 'a', 'ab', 'abc']) {
      for (const form of ['utf8', 'base64', 'base64url', 'hex'] as const) {
        const content = Buffer.from(`${before}${secret} and more`).toString(form)
        expect(
          Object.values(listEncodings(secret)).some(one => content.includes(one)),
          form,
        ).toBe(true)
      }
    }
  })
})

describe('no secret is', () => {
  it('in any row of any table', async () => {
    const owner = await connectOwner(data_dir)
    const rows = await readRows(owner)
    await owner.end()
    expect(rows.length).toBeGreaterThan(30)
    expect(rows.find(({ label }) => label.endsWith('personal_keys'))?.content).toContain('laptop')
    expect(vault.findLeaks(rows)).toEqual([])
  })

  it('in any line of the log', () => {
    expect(service.stderr()).toContain('"route":"/auth/link/redeem"')
    expect(vault.findLeaks([{ label: 'the log', content: service.stderr() }])).toEqual([])
  })

  it('in the data that an OpenTelemetry collector receives', async () => {
    await expect.poll(() => collector.spans.some(({ name }) => name === 'deliver delivery')).toBe(true)
    expect(collector.spans.some(({ name }) => name === 'POST /auth/link/redeem')).toBe(true)
    expect([collector.logs.length > 200, collector.problems]).toEqual([true, []])
    const places = collector.bodies.map((content, i) => ({ label: `export ${i}`, content }))
    expect(vault.findLeaks(places)).toEqual([])
  })

  it('in any response except the one that hands it over', () => {
    // Secrets in request URLs are in the labels only.
    expect(answers.length).toBeGreaterThan(200)
    expect(vault.findLeaks(answers)).toEqual([])
  })

  it('in any mail except the one that delivers it', () => {
    const mails = sink.arrived.map(({ to, raw }, i) => ({
      label: `mail ${sink.arrived.slice(0, i).filter(earlier => earlier.to === to).length} to ${to}`,
      content: raw.replaceAll('=\r\n', ''),
    }))
    expect(mails.length).toBeGreaterThanOrEqual(2)
    expect(vault.findLeaks(mails)).toEqual([])
  })

  it('in any file', async () => {
    const owner = await connectOwner(data_dir)
    await owner.query('checkpoint')
    await owner.end()
    const found: string[] = []
    for (const { path, content } of readFiles(data_dir)) {
      for (const { name, secret } of vault.planted) {
        if (content.includes(getSecretPart(secret))) found.push(`${name} in ${path}`)
      }
    }
    expect(found).toEqual([])
  })

  it('in any file of a backup', async () => {
    const folder = join(makeScratchFolder(), 'backup')
    await runAdmin(['backup', folder])
    const places = readFiles(folder).map(({ path, content }) => ({
      label: path,
      content: content.toString('latin1'),
    }))
    expect(places.length).toBeGreaterThan(1)
    expect(vault.findLeaks(places)).toEqual([])
  })
})
