// Identifies the caller and their role in the organization of the path. If there is an `Authorization` header, only
// it counts: a bad one is rejected even next to a valid cookie. Results are cached for a few seconds, so that a busy
// pipeline's requests cost no extra query. Every process forgets a changed caller at once (db/caller-changes.ts); if
// it cannot be notified, within those seconds.
import { findFlowOnce } from '../api/flows/store.ts'
import { findHolder, type KeyHolder, makeHolderStep, touchKey } from '../api/keys/store.ts'
import type { Caller, CallerOrg, Contract, Deps } from '../api/operation.ts'
import { findPublicOrg } from '../api/orgs/store.ts'
import { findSession, makeSessionStep, type SessionHolder, touchSession } from '../api/sessions/store.ts'
import { buildCallerLocks } from '../api/shared/caller-lock-store.ts'
import type { Database, Db, Scope } from '../db/database.ts'
import { decideAccountRole } from '../domain/credential-role.ts'
import { type Family, WHOLE_SCOPE } from '../domain/key-scope.ts'
import type { OrgSettings } from '../domain/org-settings.ts'
import { mergeQuotas, type OwnQuotas, type Quotas } from '../domain/quotas.ts'
import { isRole, type Role } from '../domain/roles.ts'
import { isSessionBlocked, mayUseLinks, type SignInMethod } from '../domain/single-sign-on.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppError, forbidden, unauthenticated } from '../lib/errors.ts'
import { classifyToken, hashSecret, parseTokenKind } from '../lib/secrets.ts'
import { computeExpiry, isCsrfToken, readCookie, SESSION_COOKIE } from '../lib/session-token.ts'
import type { WorkCounters } from '../lib/work-counters.ts'
import { type AuthCache, type CachedCaller, type Identity, makeAuthCache } from './auth-cache.ts'

export type { Identity } from './auth-cache.ts'

/** Does not repeat the header: it may well contain a key. */
const HOW_TO_SEND =
  'The Authorization header contains no API key; send it as `Authorization: Bearer <key>`, or with HTTP Basic as the user name'

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** The parts of a request that identify the caller. */
export interface Presented {
  authorization: string | undefined
  cookie: string | undefined
  csrf_token: string | undefined
  /** GET and HEAD change nothing, so a foreign page may make a browser send them. */
  is_safe: boolean
  /** The network address of the client. */
  address: string
}

/** The callers that the operation accepts. */
interface AccessRules {
  /** The organization setting that lets visitors in, and the flow that must then be public. */
  visitors: { setting: NonNullable<Contract['visitors']>; flow_name: string | undefined } | undefined
  /** Looks the caller up now, bypassing the cache. */
  is_fresh: boolean
  /** Whether the request counts as a use of the credential, which keeps a session from expiring. */
  is_use: boolean
}

/** Reads an identified caller again, in a transaction. */
interface SecondLook {
  /** Gives access to the credential, the caller, and the organization of the path with the caller's role. */
  scope: Scope
  /** Call it in that scope. What it reads stays true until the end of the transaction. */
  identify(tx: Db): Promise<Identity>
}

export interface Authenticator {
  identify(presented: Presented, org_name: string | undefined, rules: AccessRules): Promise<Identity>
  prepareSecondLook(presented: Presented, org_name: string | undefined, first: Identity): SecondLook
  forget(caller_or_org_id: string): void
  forgetAll(): void
}

interface LookUpDeps extends Pick<Deps, 'db' | 'sso' | 'session_limits'> {
  clock: Clock
  quotas: Quotas
}

interface AuthSettings extends Pick<Deps, 'sso' | 'session_limits'> {
  quotas: Quotas
  work: WorkCounters
}

interface LookUp extends LookUpDeps {
  org_name: string | undefined
  find: AuthCache['getOrFind']
  touch: AuthCache['touch']
}

export function makeAuthenticator(
  db: Database,
  clock: Clock,
  { sso, session_limits, quotas, work }: AuthSettings,
  onTouchError: (error: unknown) => void,
): Authenticator {
  const cache = makeAuthCache(clock, work, onTouchError)
  const lookUpDeps = { db, clock, sso, session_limits, quotas }

  async function authenticate(
    presented: Presented,
    org_name: string | undefined,
    { is_fresh, is_use }: AccessRules,
  ): Promise<Identity | undefined> {
    const find = is_fresh ? cache.findAgain : cache.getOrFind
    const lookUp = { ...lookUpDeps, org_name, find, touch: is_use ? cache.touch : () => undefined }
    if (presented.authorization !== undefined)
      return authenticateKey(parseAuthorization(presented.authorization), presented.address, lookUp)
    const secret = readCookie(presented.cookie, SESSION_COOKIE)
    return secret === undefined ? undefined : authenticateSession(secret, presented, lookUp)
  }

  return {
    identify: async (presented, org_name, rules) => {
      // PostgreSQL accepts no NUL, so no organization name contains one.
      const org = org_name?.includes('\0') ? undefined : org_name
      const identity = await authenticate(presented, org, rules)
      if (identity?.org || !rules.visitors || org === undefined) return requireIdentity(identity)
      const visited = await findVisitedOrg(db, org, rules.visitors, quotas)
      if (!visited) return requireIdentity(identity)
      // A non-member can read public data, with or without a key.
      return { caller: identity?.caller ?? ANONYMOUS, org: visited }
    },
    prepareSecondLook: (presented, org_name, first) =>
      prepareSecondLook(lookUpDeps, presented, org_name, first),
    forget: cache.forget,
    forgetAll: cache.forgetAll,
  }
}

async function authenticateKey(token: string, address: string, lookUp: LookUp): Promise<Identity> {
  const { db, clock, quotas, org_name, find, touch } = lookUp
  if (classifyToken(token) === 'junk') throw keyNotValid()
  const key_hash = hashSecret(token)
  const known = await find(`${key_hash}/${org_name ?? ''}`, async () => {
    const holder = await findHolder(db, key_hash, org_name ?? null)
    return (
      holder &&
      buildKeyEntry(holder, quotas, address => touchKey(db, key_hash, { now: clock.now(), address }))
    )
  })
  if (!known || isOver(known, clock.now())) throw keyNotValid()
  touch(known, address)
  return known.identity
}

async function authenticateSession(secret: string, presented: Presented, lookUp: LookUp): Promise<Identity> {
  const { db, clock, org_name, find, touch } = lookUp
  const hash = hashSecret(secret)
  const isSession = parseTokenKind(secret) === 'ses'
  const known = isSession
    ? await find(`${hash}/${org_name ?? ''}`, async () =>
        buildSessionEntry(lookUp, hash, await findSession(db, hash, org_name ?? null)),
      )
    : undefined
  if (!known || isOver(known, clock.now())) throw sessionIsOver()
  if (!presented.is_safe && !isCsrfToken(presented.csrf_token, secret)) throw csrfMissing()
  touch(known, presented.address)
  return known.identity
}

function prepareSecondLook(
  deps: LookUpDeps,
  presented: Presented,
  org_name: string | undefined,
  { caller, org }: Identity,
): SecondLook {
  const key_hash = hashSecret(readSecret(presented))
  const isSession = caller.credential === 'session'
  const locks = buildCallerLocks({ caller, key_hash, org_id: org?.org_id })
  const makeFind = isSession ? makeSessionStep : makeHolderStep
  const steps = [...locks, makeFind(key_hash, org_name ?? null)]
  const person = caller.kind === 'user' ? { user_id: caller.id } : {}
  return {
    scope: { key_hash, ...person, ...(org ? { org_id: org.org_id } : {}) },
    identify: async tx => {
      const holder = (await tx.runSteps(steps)).at(-1)?.[0]
      const known = isSession
        ? buildSessionEntry(deps, key_hash, holder as SessionHolder | undefined)
        : buildHeldKey(deps, holder as KeyHolder | undefined)
      if (known && !isOver(known, deps.clock.now())) return known.identity
      throw isSession ? sessionIsOver() : keyNotValid()
    },
  }
}

/** The use of the key was stored when the request was admitted. */
function buildHeldKey({ quotas }: LookUpDeps, holder: KeyHolder | undefined): CachedCaller | undefined {
  return holder && buildKeyEntry(holder, quotas, async () => undefined)
}

function isOver({ ends_at }: CachedCaller, now: Date): boolean {
  return ends_at !== null && ends_at <= now
}

function keyNotValid(): AppError {
  return unauthenticated('The API key is not valid')
}

function sessionIsOver(): AppError {
  return unauthenticated('The session is over')
}

/** The secret that identified the caller. */
function readSecret({ authorization, cookie }: Presented): string {
  return authorization === undefined
    ? (readCookie(cookie, SESSION_COOKIE) ?? '')
    : parseAuthorization(authorization)
}

/** Undefined when there is no such session, or when it began with a mailed link that this person may not use. */
function buildSessionEntry(
  { db, clock, sso, session_limits, quotas }: LookUpDeps,
  secret_hash: string,
  holder: SessionHolder | undefined,
): CachedCaller | undefined {
  if (!holder || (holder.method === 'link' && !mayUseLinks(sso, holder.user_name))) return undefined
  return {
    identity: buildSessionIdentity(holder, quotas),
    ends_at: computeExpiry(holder, session_limits),
    owner_id: null,
    touch: () => touchSession(db, secret_hash, clock.now()),
  }
}

/**
 * The organization as a visitor sees it; undefined unless both it and the flow are public. A private flow looks
 * missing.
 */
async function findVisitedOrg(
  db: Database,
  org_name: string,
  { setting, flow_name }: NonNullable<AccessRules['visitors']>,
  quotas: Quotas,
): Promise<CallerOrg | undefined> {
  const open = await findPublicOrg(db, org_name, setting)
  if (!open) return undefined
  if (flow_name !== undefined) {
    const flow = flow_name.includes('\0') ? undefined : await findFlowOnce(db, open.org_id, flow_name)
    if (flow?.visibility !== 'public' || flow.archived_at) return undefined
  }
  const sponsor = open.sponsor ?? open.org_id
  return { ...open, quotas: mergeQuotas(open.quotas, quotas), sponsor, role: 'reader', is_visitor: true }
}

function requireIdentity(identity: Identity | undefined): Identity {
  if (!identity) throw unauthenticated('Authentication is required')
  return identity
}

function csrfMissing(): AppError {
  return forbidden('The X-CSRF-Token header is missing or wrong')
}

function parseAuthorization(authorization: string): string {
  const bearer = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (bearer !== undefined) return bearer
  const encoded = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization)?.[1]
  const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  // The key is the user name; the password is ignored.
  const name = /^([^:]+):/.exec(pair)?.[1]
  if (name === undefined) throw unauthenticated(HOW_TO_SEND)
  return name
}

/** The limits of a caller without a key. */
export const UNLIMITED = {
  scope: WHOLE_SCOPE,
  allowed_addresses: null,
  key_expires_at: null,
  key_created_at: null,
} as const

const ANONYMOUS: Caller = {
  name: 'anonymous',
  kind: 'anonymous',
  credential: 'none',
  id: NOBODY,
  key_id: 'anonymous',
  session_method: null,
  default_org_name: null,
  ...UNLIMITED,
}

function buildKeyEntry(
  holder: KeyHolder,
  quotas: Quotas,
  touch: (address: string) => Promise<void>,
): CachedCaller {
  const caller: Caller = {
    name: holder.owner_name,
    kind: holder.kind as Caller['kind'],
    credential: 'key',
    id: holder.owner_id,
    key_id: holder.key_id,
    session_method: null,
    default_org_name: holder.default_org_name,
    scope: {
      operations: holder.operations as Family[] | null,
      flow_ids: holder.flow_ids,
      environment_ids: holder.environment_ids,
    },
    allowed_addresses: holder.allowed_addresses,
    key_expires_at: holder.expires_at,
    key_created_at: holder.created_at,
  }
  const org = toCallerOrg({ ...holder, role: decidePresentRole(holder) }, quotas)
  return { identity: { caller, org }, ends_at: holder.expires_at, owner_id: holder.account_owner_id, touch }
}

/** Of a service account, the role that its owner's present one leaves it. */
function decidePresentRole(holder: KeyHolder): Role | null {
  const { kind, role, account_owner_id, account_owner_role, has_account_owner_left } = holder
  if (role === null || !isRole(role)) return null
  if (kind !== 'service_account' || account_owner_id === null) return role
  const owner_role = account_owner_role !== null && isRole(account_owner_role) ? account_owner_role : null
  return decideAccountRole(role, { role: owner_role, has_left: has_account_owner_left })
}

function buildSessionIdentity(holder: SessionHolder, quotas: Quotas): Identity {
  const caller: Caller = {
    name: holder.user_name,
    kind: 'user',
    credential: 'session',
    id: holder.user_id,
    key_id: holder.session_id,
    session_method: holder.method as SignInMethod,
    default_org_name: holder.default_org_name,
    ...UNLIMITED,
  }
  const org = toCallerOrg(holder, quotas)
  const session = { method: holder.method, user: holder.user_name, role: org?.role ?? '' }
  const isOutside = org && isSessionBlocked(holder.settings ?? {}, session)
  return isOutside ? { caller, org: undefined, sso_required_by: org.name } : { caller, org }
}

interface HolderOrg {
  org_id: string | null
  org_name: string | null
  role: string | null
  features: Record<string, boolean> | null
  settings: OrgSettings | null
  quotas: OwnQuotas | null
  sponsor: string | null
}

function toCallerOrg(holder: HolderOrg, quotas: Quotas): CallerOrg | undefined {
  const { org_id, org_name, role, features, settings } = holder
  if (org_id === null || org_name === null || role === null || !isRole(role)) return undefined
  return {
    org_id,
    name: org_name,
    role,
    features: features ?? {},
    settings: settings ?? {},
    quotas: mergeQuotas(holder.quotas ?? {}, quotas),
    sponsor: holder.sponsor ?? org_id,
  }
}
