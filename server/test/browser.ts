// A browser for tests: it keeps cookies, submits forms and does not follow redirects. Also reads the mails queued for
// it.
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { Contract } from '../src/api/operation.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { systemSecrets } from '../src/lib/secrets.ts'
import { computeCsrfToken, SESSION_COOKIE } from '../src/lib/session-token.ts'
import type { Mail } from '../src/mail/mailer.ts'
import { SECRET_KEY, type TestApp } from './harness.ts'

/** The secret key of `startTestApp`. */

export interface BrowserResponse {
  status: number
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  headers: Record<string, unknown>
  /** The redirect target. */
  location: string | undefined
  set_cookies: string[]
}

export interface Browser {
  cookies: Map<string, string>
  get(path: string, headers?: Record<string, string>): Promise<BrowserResponse>
  /** Sends the fields as an HTML form does. */
  submit(
    path: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<BrowserResponse>
  /** Sends JSON like a script on a page. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<BrowserResponse>
  send(method: string, path: string, headers?: Record<string, string>): Promise<BrowserResponse>
  /** The session cookie. */
  session(): string | undefined
  csrf(): Record<string, string>
}

export function makeBrowser(server: FastifyInstance, address = '127.0.0.1'): Browser {
  const cookies = new Map<string, string>()
  const call = async (
    method: string,
    url: string,
    { type, payload, ...headers }: Record<string, string | undefined> = {},
  ): Promise<BrowserResponse> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await server.inject({
      method: method as 'GET',
      url,
      remoteAddress: address,
      headers: {
        'user-agent': 'Test browser',
        ...(cookie === '' ? {} : { cookie }),
        ...(type === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload }),
    })
    const set_cookies = [answer.headers['set-cookie'] ?? []].flat()
    storeCookies(cookies, set_cookies)
    const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json')
    return {
      status: answer.statusCode,
      text: answer.body,
      body: isJson ? JSON.parse(answer.body) : undefined,
      headers: answer.headers,
      location: answer.headers.location,
      set_cookies,
    }
  }
  return {
    cookies,
    get: (path, headers) => call('GET', path, headers),
    submit: (path, fields, headers) =>
      call('POST', path, {
        type: 'application/x-www-form-urlencoded',
        payload: new URLSearchParams(fields).toString(),
        ...headers,
      }),
    post: (path, body, headers) =>
      call('POST', path, { type: 'application/json', payload: JSON.stringify(body), ...headers }),
    send: (method, path, headers) => call(method, path, headers),
    session: () => cookies.get(SESSION_COOKIE),
    csrf: () => ({ 'x-csrf-token': computeCsrfToken(cookies.get(SESSION_COOKIE) ?? '') }),
  }
}

export function storeCookies(cookies: Map<string, string>, set_cookies: string[]): void {
  for (const line of set_cookies) {
    const [pair = ''] = line.split(';')
    const [name = '', value = ''] = pair.split('=')
    if (/; Max-Age=0(;|$)/.test(line)) cookies.delete(name)
    else cookies.set(name, value)
  }
}

/** The mails in the outbox, oldest first. */
export async function readQueuedMails(app: TestApp): Promise<Mail[]> {
  const rows = await app.sql(
    "select payload ->> 'sealed' as sealed from outbox where kind = 'mail' order by job_id",
  )
  const sealer = makeSealer(SECRET_KEY)
  return rows.map(({ sealed }) => JSON.parse(sealer.open('mail', String(sealed)) ?? 'null'))
}

/** The token of the newest sign-in link. */
export async function readMailedToken(app: TestApp): Promise<string> {
  const mail = (await readQueuedMails(app)).at(-1)
  return /\/auth\/link\?token=(\w+)/.exec(mail?.text ?? '')?.[1] ?? ''
}

export async function setEmail(app: TestApp, user: string, email: string): Promise<void> {
  await app.sql('update users set email = $2 where name = $1', [user, email])
}

/** Signs in with a mailed link, from the request to the session. */
export async function signInByMail(app: TestApp, email: string, browser = makeBrowser(app.server)) {
  await browser.submit('/auth/link', { email })
  await browser.submit('/auth/link/redeem', { token: await readMailedToken(app) })
  return browser
}

/** The form fields of the page behind an invitation link. */
export async function readInvitationForm(browser: Browser, token: string): Promise<Record<string, string>> {
  const { text } = await browser.get(`/auth/invitation?token=${encodeURIComponent(token)}`)
  const fields = text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)
  return { token, ...Object.fromEntries([...fields].map(([, name, value]) => [name, value])) }
}

/** Opens an invitation link and submits its form. */
export async function acceptInvitation(browser: Browser, token: string): Promise<BrowserResponse> {
  return browser.submit('/auth/invitation/redeem', await readInvitationForm(browser, token))
}

/** Inserts a session as if the user had just signed in; returns its secret. */
export function insertSession({ owner, clock }: TestApp, user: string): Promise<string> {
  return insertSessionAt(owner, clock.now(), user, '')
}

export async function insertSessionAt(
  owner: pg.Client,
  now: Date,
  user: string,
  user_agent: string,
): Promise<string> {
  const { key, secret_hash } = systemSecrets.createToken('ses')
  await owner.query(
    `insert into sessions (session_id, user_id, secret_hash, method, user_agent, created_at, last_seen_at, expires_at)
     select (left(gen_random_uuid()::text, 32) || '0000')::uuid, user_id, decode($2, 'hex'), 'link', $4, $3, $3, $3::timestamptz + interval '7 days'
     from users where name = $1`,
    [user, secret_hash, now, user_agent],
  )
  return key
}

/** The admin's session that an operation works on, reopened if a test has ended it. */
export async function prepareSession({ path, example }: Contract, app: TestApp): Promise<void> {
  if (!path.startsWith('/user/sessions')) return
  await app.sql(
    `insert into sessions (session_id, user_id, secret_hash, method, user_agent, created_at, last_seen_at, expires_at)
     select ($1 || '0000')::uuid, user_id, sha256($1::bytea), 'link', '', $2, $2, $2::timestamptz + interval '1 day'
     from users where name = 'ada'
     on conflict (session_id) do update set ended_at = null`,
    [example?.params?.session_id ?? '019cb35a-7c00-7000-8000-00000001', app.clock.now()],
  )
}

export async function countSessions(app: TestApp): Promise<number> {
  const [row] = await app.sql('select count(*)::int as n from sessions where ended_at is null')
  return Number(row?.n)
}
