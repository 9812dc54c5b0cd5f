// The checks of `waybill doctor`.
import { existsSync } from 'node:fs'
import type { Schemas } from '../api-types.ts'
import { ConnectionProblem, readBody } from '../http/exchange.ts'
import { findProxy } from '../http/proxy.ts'
import type { Context } from '../program/context.ts'
import type { Exit } from '../program/exit-codes.ts'
import { listEntries, openSpool } from '../spool/folder.ts'
import { describeKeyOrigin } from './whoami.ts'

export interface Check {
  name: string
  /** `done` if there is no problem. */
  exit: Exit
  text: string
  /** How to fix it. */
  hint?: string | undefined
}

/** The clock difference that keyless sign-in and signatures allow, about a minute. */
const MAX_SKEW_MS = 60_000
const TLS_PROBLEM = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/

interface Reached {
  status: number
  date: string | undefined
  json: unknown
}

export async function runChecks(context: Context): Promise<Check[]> {
  const meta = await ask(context, '/api/v2/meta', undefined)
  return [
    checkAddress(context),
    checkProxy(context),
    checkReach(context, meta),
    checkTls(context, meta),
    ...(meta instanceof ConnectionProblem
      ? []
      : [checkClock(context, meta), checkVersion(context, meta), ...(await checkKey(context))]),
    await checkSpool(context),
  ]
}

async function ask(
  { host, exchange, timeout_ms }: Context,
  path: string,
  key: string | undefined,
): Promise<Reached | ConnectionProblem> {
  try {
    const incoming = await exchange({
      method: 'GET',
      url: new URL(`${host}${path}`),
      headers: {
        accept: 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      timeout_ms,
    })
    const text = (await readBody(incoming)).toString('utf8')
    return { status: incoming.status, date: incoming.headers.date, json: readJson(text) }
  } catch (error) {
    if (error instanceof ConnectionProblem) return error
    throw error
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Something between this machine and the service answered.
    return undefined
  }
}

function checkAddress({ host, origins }: Context): Check {
  const from = origins.get('host')?.from
  return { name: 'address', exit: 'done', text: `${host} (${from ?? 'the default'})` }
}

function checkProxy({ host, system }: Context): Check {
  const proxy = findProxy(new URL(host), system.env)
  return { name: 'proxy', exit: 'done', text: proxy === undefined ? 'none' : `through ${proxy.host}` }
}

function checkReach({ host }: Context, reached: Reached | ConnectionProblem): Check {
  const name = 'network'
  if (reached instanceof ConnectionProblem)
    return {
      name,
      exit: 'unreachable',
      text: reached.message,
      hint: 'Check the address, the network and the proxy.',
    }
  if (reached.status === 200 && readVersion(reached) !== undefined)
    return { name, exit: 'done', text: 'the service answers' }
  return {
    name,
    exit: 'unreachable',
    text: `${host} answers ${reached.status}, but not as Waybill does`,
    hint: 'Check the address: another service or a proxy may be there.',
  }
}

function checkTls({ host }: Context, reached: Reached | ConnectionProblem): Check {
  const name = 'TLS'
  if (host.startsWith('http:'))
    return { name, exit: 'done', text: 'not used: the service is on this machine' }
  if (!(reached instanceof ConnectionProblem)) return { name, exit: 'done', text: 'the certificate is valid' }
  const { code = '' } = (reached.cause ?? {}) as NodeJS.ErrnoException
  if (!TLS_PROBLEM.test(code))
    return { name, exit: 'unreachable', text: 'not checked: there is no connection' }
  return {
    name,
    exit: 'unreachable',
    text: reached.message,
    hint: 'If a private authority signs the certificate, name its file in NODE_EXTRA_CA_CERTS.',
  }
}

function checkClock({ system }: Context, { date }: Reached): Check {
  const name = 'clock'
  const theirs_ms = Date.parse(date ?? '')
  if (Number.isNaN(theirs_ms)) return { name, exit: 'done', text: 'the service did not say its time' }
  const skew_ms = system.now_ms() - theirs_ms
  const seconds = Math.round(Math.abs(skew_ms) / 1000)
  if (Math.abs(skew_ms) <= MAX_SKEW_MS)
    return { name, exit: 'done', text: `within ${Math.max(seconds, 1)} s of the service` }
  return {
    name,
    exit: 'usage',
    text: `this machine is ${seconds} s ${skew_ms > 0 ? 'ahead of' : 'behind'} the service`,
    hint: 'Set the clock of this machine; keyless sign-in fails otherwise.',
  }
}

function readVersion({ json }: Reached): string | undefined {
  const { product, version } = (json ?? {}) as Partial<Schemas['Meta']>
  return product === undefined ? undefined : version
}

function checkVersion({ system }: Context, reached: Reached): Check {
  const name = 'versions'
  const theirs = readVersion(reached) ?? 'unknown'
  const text = `this program ${system.version}, the service ${theirs}`
  const isSame = theirs.split('.', 1)[0] === system.version.split('.', 1)[0]
  return isSame
    ? { name, exit: 'done', text }
    : { name, exit: 'usage', text, hint: 'Install the version of the service.' }
}

async function checkKey(context: Context): Promise<Check[]> {
  const origin = describeKeyOrigin(context)
  if (origin === undefined)
    return [
      {
        name: 'key',
        exit: 'not_allowed',
        text: 'there is none',
        hint: 'Set WAYBILL_API_TOKEN, or sign in with "waybill login".',
      },
    ]
  const reached = await ask(context, '/api/v2/organizations', await context.getToken())
  if (reached instanceof ConnectionProblem)
    return [{ name: 'key', exit: 'unreachable', text: reached.message }]
  if (reached.status === 403) return [describeValidKey(origin), await checkAccount(context)]
  if (reached.status !== 200)
    return [
      {
        name: 'key',
        exit: 'not_allowed',
        text: `the service answers ${reached.status} to the key from ${origin}`,
        hint: 'It may be mistyped, expired or revoked: create a new one.',
      },
    ]
  return [describeValidKey(origin), checkRole(context, (reached.json ?? []) as Schemas['OwnOrganization'][])]
}

const describeValidKey = (origin: string): Check => ({
  name: 'key',
  exit: 'done',
  text: `valid, from ${origin}`,
})

const MISSING_ORG = { exit: 'usage', hint: 'Give --org, or set WAYBILL_ORG.' } as const

/** Service accounts cannot list organizations. */
async function checkAccount(context: Context): Promise<Check> {
  const { org } = context
  const name = 'role'
  if (org === '') return { name, ...MISSING_ORG, text: 'no organization is set' }
  const reached = await ask(
    context,
    `/api/v2/organizations/${encodeURIComponent(org)}`,
    await context.getToken(),
  )
  if (reached instanceof ConnectionProblem) return { name, exit: 'unreachable', text: reached.message }
  if (reached.status === 200) return { name, exit: 'done', text: `a service account of ${org}` }
  return {
    name,
    exit: 'not_allowed',
    text: `the service account does not belong to ${org}`,
    hint: 'Check --org.',
  }
}

function checkRole({ org }: Context, organizations: readonly Schemas['OwnOrganization'][]): Check {
  const name = 'role'
  const listed = organizations.map(each => `${each.role} of ${each.name}`).join(', ')
  if (org === '')
    return { name, ...MISSING_ORG, text: `no organization is set; the key is ${listed || 'in none'}` }
  const own = organizations.find(each => each.name === org)
  if (own !== undefined) return { name, exit: 'done', text: `${own.role} of ${org}` }
  return {
    name,
    exit: 'not_allowed',
    text: `the key does not belong to ${org}; it is ${listed || 'in no organization'}`,
    hint: 'Check --org, or ask an admin for access.',
  }
}

async function checkSpool({ spool_root }: Context): Promise<Check> {
  const name = 'spool'
  if (!existsSync(spool_root)) return { name, exit: 'done', text: `empty (${spool_root})` }
  const spool = await openSpool(spool_root)
  const waiting = await listEntries(spool.queue)
  const refused = await listEntries(spool.refused)
  const damaged = waiting.damaged.length + refused.damaged.length
  const counts = [waiting.entries.length, refused.entries.length, damaged]
  if (counts.every(count => count === 0)) return { name, exit: 'done', text: `empty (${spool_root})` }
  return {
    name,
    exit: 'spooled',
    text: `${counts[0]} wait, ${counts[1]} were refused, ${counts[2]} are damaged (${spool_root})`,
    hint: 'waybill spool list shows them; waybill spool flush sends those that wait.',
  }
}
