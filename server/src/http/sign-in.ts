// Signing in and out, for browsers: pages and addresses outside the API. What they decide is in signin/; here are cookies,
// forms and redirects.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Deps } from '../api/operation.ts'
import { endSession } from '../api/sessions/store.ts'
import { orgCreationRefusal } from '../domain/org-creation.ts'
import { assert } from '../lib/assert.ts'
import { AppError, invalid, notFound, tooManyRequests, unauthenticated } from '../lib/errors.ts'
import { toWireId } from '../lib/ids.ts'
import {
  ABSOLUTE_MS,
  cookieIn,
  csrfTokenOf,
  IDLE_MS,
  SESSION_COOKIE,
  setCookie,
} from '../lib/session-token.ts'
import { shapeOfBody } from '../lib/shape.ts'
import { enterByInvitation, isInvitationToken } from '../signin/invitations.ts'
import { isLinkToken, redeemLink, requestLink } from '../signin/links.ts'
import { localPath } from '../signin/next-path.ts'
import type { Oidc, Provider } from '../signin/oidc.ts'
import {
  invitationPage,
  invitationRefusedPage,
  linkRefusedPage,
  linkSentPage,
  problemPage,
  redeemPage,
  type SignInWish,
  type Site,
  signedInPage,
  signInPage,
  ssoAwayPage,
  ssoRefusedPage,
} from '../signin/pages.ts'
import type { Entered } from '../signin/session.ts'
import { beginSso, finishSso, type SsoParts } from '../signin/sso.ts'
import { awaitsFirstSignIn, sessionOverview } from '../signin/store.ts'
import { STYLE } from '../signin/style.ts'
import type { Identity } from './authenticate.ts'
import type { Gate } from './dispatch.ts'
import { answerWith, sendError } from './error-response.ts'
import {
  acceptForms,
  isForm,
  knownBrowser,
  queryOf,
  sendPage,
  visitorOf,
  wantsPage,
} from './sign-in-request.ts'

const MAX_BODY_BYTES = 16 * 1024
const STYLE_AGE_S = 3_600

const ON_ITS_WAY = 'If the address belongs to somebody who may sign in, a mail with a link is on its way.'
const LINK_REFUSED =
  'This link does not work. It works once, for ten minutes, in the browser in which it was asked for. Ask for a new one.'
const INVITATION_REFUSED =
  'This invitation does not work. It works once, for seven days, unless it was withdrawn. Ask for a new one.'
const NOT_AN_ADDRESS = 'This is not a mail address. One looks like name@company.example.'

const LinkWish = Type.Object(
  {
    email: Type.String({ maxLength: 254, pattern: '^[^\\s@\\x00-\\x1f]+@[^\\s@\\x00-\\x1f]+$' }),
    next: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
const Redemption = Type.Object({ token: Type.String({ writeOnly: true }) }, { additionalProperties: false })

export interface SignInParts {
  deps: Deps
  gate: Gate
  oidc: Oidc
  providers: readonly Provider[]
  /** Without a mail server mails become files, which only the operator can open. */
  mail_delivery: 'smtp' | 'file'
  onRefused(provider_id: string, reason: string): void
}

interface Parts extends SignInParts {
  site: Site
}

export async function addSignIn(server: FastifyInstance, given: SignInParts): Promise<void> {
  const { deps, gate, mail_delivery } = given
  const choices = given.providers.map(({ id, name }) => ({ id, name }))
  const site: Site = { region: deps.region, choices, mail_delivery }
  const parts: Parts = { ...given, site }
  // A scope of its own: forms are taken here and nowhere else.
  await server.register(async scope => {
    acceptForms(scope)
    scope.setErrorHandler((error, request, reply) => {
      if (wantsPage(request)) sendProblem(site, error, request, reply)
      else sendError(error, request, reply)
    })
    scope.addHook('onRequest', async request => {
      const wait_s = gate.limiter.take(`address:${request.ip}`, gate.clock.monotonic_ms())
      if (wait_s > 0) throw tooManyRequests(wait_s)
    })
    addPages(scope, parts)
    addLinks(scope, parts)
    addInvitations(scope, parts)
    addSso(scope, parts)
    addSessions(scope, parts)
  })
}

function addPages(server: FastifyInstance, { deps, gate, site }: Parts): void {
  const isFirstRun = firstRunWatch(deps, gate)
  server.get('/auth/providers', async (request, reply) => {
    knownBrowser(request, reply, deps.secrets)
    const { choices: providers, mail_delivery } = site
    return reply.send({ providers, mail_links: true, mail_delivery })
  })
  server.get('/auth/style.css', async (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${STYLE_AGE_S}`)
      .type('text/css; charset=utf-8')
      .send(STYLE),
  )
  server.get('/sign-in', async (request, reply) => {
    const query = queryOf(request)
    const next_path = localPath(query.get('next'))
    const signedIn = await sessionOf(gate, request).catch(nobody)
    if (signedIn) {
      const { identity, secret } = signedIn
      const shown = { user: identity.caller.name, csrf_token: csrfTokenOf(secret), next_path }
      return sendPage(reply, 200, signedInPage(site, shown))
    }
    knownBrowser(request, reply, deps.secrets)
    const notice = noticeFor(request, query) ?? ((await isFirstRun()) ? 'first-run' : undefined)
    return sendPage(reply, 200, signInPage(site, { next_path, notice }))
  })
}

/** That a session has ended is known by its cookie, or by the web app that was told so. */
function noticeFor(request: FastifyRequest, query: URLSearchParams): SignInWish['notice'] {
  if (query.get('signed_out') === '1') return 'signed-out'
  const isOver = cookieIn(request.headers.cookie, SESSION_COOKIE) !== undefined
  return isOver || query.get('ended') === '1' ? 'ended' : undefined
}

/** The first run is over once and for all: after that the database is not asked again. */
function firstRunWatch({ db }: Deps, { clock }: Gate): () => Promise<boolean> {
  let isOver = false
  return async () => {
    isOver ||= !(await awaitsFirstSignIn(db, clock.now()))
    return !isOver
  }
}

function addLinks(server: FastifyInstance, { deps, gate, site }: Parts): void {
  const checkWish = shapeOfBody(LinkWish)
  const checkRedemption = shapeOfBody(Redemption)
  const options = { bodyLimit: MAX_BODY_BYTES }
  const refuseLink = (request: FastifyRequest, reply: FastifyReply, error: AppError) =>
    refuse(request, reply, error, () => linkRefusedPage(site, visitorOf(request).browser === undefined))

  server.post('/auth/link', options, async (request, reply) => {
    const problems = checkWish(request.body, '')
    if (problems) {
      return refuse(request, reply, invalid(problems), () => signInPage(site, wrongWish(request)))
    }
    const { email, next } = request.body as { email: string; next?: string }
    const browser = knownBrowser(request, reply, deps.secrets)
    const next_path = localPath(next)
    await requestLink(deps, { email, browser, next_path, now: gate.clock.now() })
    reply.code(202)
    return isForm(request)
      ? sendPage(reply, 202, linkSentPage(site, { email, next_path }))
      : reply.send({ message: ON_ITS_WAY })
  })

  // Programs that scan mails open every link: nothing is looked up here, let alone used.
  server.get('/auth/link', async (request, reply) => {
    const token = queryOf(request).get('token')
    return isLinkToken(token)
      ? sendPage(reply, 200, redeemPage(site, token))
      : sendPage(reply, 403, linkRefusedPage(site, false))
  })

  server.post('/auth/link/redeem', options, async (request, reply) => {
    const problems = checkRedemption(request.body, '')
    if (problems) return refuseLink(request, reply, invalid(problems))
    const { token } = request.body as { token: string }
    const entered = isLinkToken(token)
      ? await redeemLink(deps, token, visitorOf(request), gate.clock.now())
      : undefined
    return entered ? letIn(reply, deps, entered) : refuseLink(request, reply, new AppError(403, LINK_REFUSED))
  })
}

/** What was typed is kept, so that it can be put right. */
function wrongWish(request: FastifyRequest): SignInWish {
  const { email, next } = (request.body ?? {}) as { email?: string; next?: string }
  return { next_path: localPath(next), email: email ?? '', problem: NOT_AN_ADDRESS }
}

function addInvitations(server: FastifyInstance, { deps, gate, site }: Parts): void {
  const checkRedemption = shapeOfBody(Redemption)
  const refuseInvitation = (request: FastifyRequest, reply: FastifyReply, error: AppError) =>
    refuse(request, reply, error, () => invitationRefusedPage(site))

  // As for links: looking uses nothing up.
  server.get('/auth/invitation', async (request, reply) => {
    const token = queryOf(request).get('token')
    return isInvitationToken(token)
      ? sendPage(reply, 200, invitationPage(site, token))
      : sendPage(reply, 403, invitationRefusedPage(site))
  })

  server.post('/auth/invitation/redeem', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const problems = checkRedemption(request.body, '')
    if (problems) return refuseInvitation(request, reply, invalid(problems))
    const { token } = request.body as { token: string }
    const occasion = { now: gate.clock.now(), request_id: request.id }
    const entered = isInvitationToken(token)
      ? await enterByInvitation(deps, token, visitorOf(request), occasion)
      : undefined
    if (!entered) return refuseInvitation(request, reply, new AppError(403, INVITATION_REFUSED))
    deps.forgetCaller(entered.user_id)
    return letIn(reply, deps, entered)
  })
}

function addSso(server: FastifyInstance, { deps, gate, oidc, providers, onRefused, site }: Parts): void {
  const sso: SsoParts = { deps, oidc, providers, onRefused }
  const providerOf = (request: FastifyRequest): Provider => {
    const { provider: id } = request.params as { provider: string }
    const provider = providers.find(one => one.id === id)
    if (!provider) throw notFound('There is nothing at this address')
    return provider
  }

  server.get('/auth/sso/:provider', async (request, reply) => {
    const provider = providerOf(request)
    const browser = knownBrowser(request, reply, deps.secrets)
    const next_path = localPath(queryOf(request).get('next'))
    const address = await beginSso(sso, provider, { browser, next_path, now: gate.clock.now() })
    return address === undefined
      ? sendPage(reply, 502, ssoAwayPage(site, provider, next_path))
      : reply.redirect(address, 303)
  })

  server.get('/auth/sso/:provider/callback', async (request, reply) => {
    const provider = providerOf(request)
    const occasion = { now: gate.clock.now(), request_id: request.id }
    const entered = await finishSso(sso, provider, queryOf(request), visitorOf(request), occasion)
    return entered ? letIn(reply, deps, entered) : sendPage(reply, 403, ssoRefusedPage(site, provider))
  })
}

function addSessions(server: FastifyInstance, { deps, gate }: SignInParts): void {
  server.get('/auth/session', async (request, reply) => {
    const { identity, secret } = await sessionOf(gate, request)
    const { id: user_id, key_id: session_id } = identity.caller
    const found = await sessionOverview(deps.db, { user_id, session_id })
    assert(found, 'a session that was recognised is there')
    const { user, display_name, orgs, is_admin } = found
    const ends_ms = Math.min(found.last_seen_at.getTime() + IDLE_MS, found.expires_at.getTime())
    return reply.send({
      user_id: toWireId(user_id),
      user,
      display_name,
      orgs,
      may_create_orgs: orgCreationRefusal(deps.org_creation, is_admin) === undefined,
      csrf_token: csrfTokenOf(secret),
      expires_at: ends_ms / 1000,
    })
  })

  server.post('/auth/sign-out', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const { identity } = await sessionOf(gate, request, csrfIn(request))
    const { id: user_id, key_id: session_id } = identity.caller
    request.known.caller = identity.caller
    await endSession(deps.db, { user_id, session_id, now: gate.clock.now() })
    deps.forgetCaller(user_id)
    reply.header('set-cookie', setCookie(SESSION_COOKIE, '', 0))
    return isForm(request)
      ? reply.redirect('/sign-in?signed_out=1', 303)
      : reply.send({ message: 'Signed out' })
  })
}

function letIn(reply: FastifyReply, { forgetCaller }: Deps, entered: Entered): FastifyReply {
  if (entered.left_user_id !== undefined) forgetCaller(entered.left_user_id)
  reply.header('set-cookie', setCookie(SESSION_COOKIE, entered.session_secret, ABSOLUTE_MS / 1000))
  return reply.redirect(entered.next_path, 303)
}

/** People get a page, programs the error. */
function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  error: AppError,
  makePage: () => string,
): FastifyReply {
  if (!isForm(request)) throw error
  return sendPage(reply, error.status, makePage())
}

/** What nobody has a page of its own for. */
function sendProblem(site: Site, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, message, headers } = answerWith(error, request, reply)
  const show = (title: string, text: string) => sendPage(reply, status, problemPage(site, title, text))
  if (status === 429) show('One moment', `Too many tries. Wait ${headers['retry-after']} s, then try again.`)
  else if (status === 401) show('You are not signed in', 'Your session has ended, or you have signed out.')
  else if (status === 403)
    show('Not done', 'The page was of an earlier session. Open it again, then try again.')
  else if (status === 404) show('Nothing here', `${message}.`)
  else if (status >= 500) show('Something went wrong', `Try again. In the log it is request ${request.id}.`)
  else show('Not done', `${message}.`)
}

/** A form cannot send a header. */
function csrfIn(request: FastifyRequest): { csrf_token: string | undefined } {
  const header = request.headers['x-csrf-token']
  const { csrf_token: field } = (isForm(request) ? request.body : {}) as { csrf_token?: string }
  return { csrf_token: typeof header === 'string' ? header : field }
}

/** The session of the browser, by the same rules as everywhere; with `unsafe`, its page must have sent the request. */
async function sessionOf(
  { authenticator }: Gate,
  request: FastifyRequest,
  unsafe?: { csrf_token: string | undefined },
): Promise<{ identity: Identity; secret: string }> {
  const { authorization, cookie } = request.headers
  const presented = { authorization, cookie, csrf_token: unsafe?.csrf_token, is_safe: unsafe === undefined }
  const identity = await authenticator.identify(presented, undefined, { visitors: undefined })
  const secret = cookieIn(cookie, SESSION_COOKIE)
  if (identity.caller.credential !== 'session' || secret === undefined) {
    throw unauthenticated('There is no session')
  }
  return { identity, secret }
}

function nobody(error: unknown): undefined {
  if (error instanceof AppError && error.status === 401) return undefined
  throw error
}
