// Fills the demo organization through the API: the calls go through the same server as all others, with a clock that
// covers half a year in half a minute.
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { applySetUp } from '../admin/apply.ts'
import { type AppParts, makeApp } from '../app.ts'
import { makeOwnerDb, withOwnerTransaction } from '../db/owner.ts'
import { makeCompiledPolicies } from '../evaluation/compiled-policies.ts'
import { makeRound } from '../evaluation/loop.ts'
import { lockOrgEvaluation } from '../evaluation/org-lock-store.ts'
import { API_PREFIX } from '../http/server.ts'
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import { makeIds } from '../lib/ids.ts'
import type { Secrets } from '../lib/secrets.ts'
import { makeWorkCounters } from '../lib/work-counters.ts'
import { NO_RATE_LIMITS } from '../settings/rate-limits.ts'
import * as company from './company.ts'
import { sendCall } from './send-call.ts'
import { findOrgId } from './store.ts'
import { buildTimeline } from './timeline.ts'

const SEED = 20_261
/** Longer than the delay for which pending evaluations are collected. */
const SETTLE_S = 1
const MS_PER_SECOND = 1000

export interface DemoParts extends AppParts {
  owner: pg.Client
  secrets: Secrets
  /** An existing user, who becomes an admin of the demo. */
  admin_name: string
  onProgress(done: number, of: number): void
}

interface DemoClock extends Clock {
  moveTo(seconds: number): void
}

/** The org must not exist yet. */
export async function fillDemo(parts: DemoParts): Promise<void> {
  const end_s = Math.floor(parts.clock.now().getTime() / MS_PER_SECOND)
  const calls = buildTimeline(end_s, SEED)
  const clock = makeDemoClock((calls[0]?.at ?? end_s) - 1)
  const keys = await setUp(parts, clock)
  const session = makeOwnerDb(parts.owner)
  const org_id = await findOrgId(session, company.DEMO_ORG)
  assert(org_id !== undefined, 'the set-up has created the organization')
  const release = await lockOrgEvaluation(session, org_id)
  const app = await makeApp({
    ...parts,
    clock,
    // Sends no notifications for generated history, and applies no rate limits.
    config: { ...parts.config, role: 'serve', rate_limits: NO_RATE_LIMITS },
    // Thousands of generated requests would only clutter the log.
    log: parts.log.child({}, { level: 'warn' }),
  })
  const evaluate = makeRound({
    work: makeWorkCounters(),
    db: parts.db,
    ids: makeIds(clock),
    compiled_policies: makeCompiledPolicies(),
    clock,
    log: parts.log,
    locked_org_id: org_id,
  })
  try {
    await app.server.ready()
    for (const [i, call] of calls.entries()) {
      clock.moveTo(call.at)
      const answer = await sendCall(app.server, call, keys.get(call.by))
      if (call.hands_key_to !== undefined) keys.set(call.hands_key_to, answer.json().key)
      clock.moveTo(call.at + SETTLE_S)
      await evaluate()
      parts.onProgress(i + 1, calls.length)
    }
    await revokeKeys(app.server, keys)
  } finally {
    await app.stop()
    await release()
  }
}

/** Creates the org with its people and service accounts, each with a key for the calls. */
async function setUp({ owner, secrets, admin_name }: DemoParts, clock: Clock): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  const createKey = (name: string, kind: 'user' | 'svc') => {
    const { key } = secrets.createToken(kind)
    keys.set(name, key)
    return [{ secret: key, description: 'The demo' }]
  }
  const serviceAccounts = Object.values(company.ROBOTS)
  await withOwnerTransaction(owner, tx =>
    applySetUp(
      { tx, ids: makeIds(clock), secrets, now: clock.now(), changes: [] },
      {
        users: company.PEOPLE.map(({ name }) => ({
          name,
          email: company.toMailAddress(name),
          personal_org: false,
          api_keys: createKey(name, 'user'),
        })),
        orgs: [
          {
            name: company.DEMO_ORG,
            description: company.DEMO_DESCRIPTION,
            members: [
              { user: admin_name, role: 'admin' },
              ...company.PEOPLE.map(({ name, role }) => ({ user: name, role })),
            ],
            service_accounts: serviceAccounts.map(({ name, privilege, description }) => ({
              name,
              privilege,
              description,
              api_keys: createKey(name, 'svc'),
            })),
          },
        ],
      },
    ),
  )
  return keys
}

/** Nobody knows the people's keys, so they are revoked; those of service accounts stay, to look realistic. */
async function revokeKeys(server: FastifyInstance, keys: ReadonlyMap<string, string>): Promise<void> {
  for (const { name } of company.PEOPLE) {
    const headers = { authorization: `Bearer ${keys.get(name)}` }
    const url = `${API_PREFIX}/user/api-keys`
    const listed = await server.inject({ method: 'GET', url, headers })
    for (const { id } of listed.json())
      await server.inject({ method: 'DELETE', url: `${url}/${id}`, headers })
  }
}

/** Moves only forward, and only by `moveTo`. */
function makeDemoClock(start_s: number): DemoClock {
  let now_ms = start_s * MS_PER_SECOND
  return {
    now: () => new Date(now_ms),
    monotonic_ms: () => now_ms,
    moveTo: seconds => {
      now_ms = Math.max(now_ms, seconds * MS_PER_SECOND)
    },
  }
}
