// Signing in and out, for browsers: pages and addresses outside the API. What they decide is in signin/; here are cookies,
// forms and redirects.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Deps } from '../api/operation.ts'
import { endSession } from '../api/sessions/store.ts'
import { assert } from '../lib/assert.ts'
import { AppError, invalid, notFound, tooManyRequests, unauthenticated } from '../lib/errors.ts'
import {
  ABSOLUTE_MS,
  cookieIn,
  csrfTokenOf,
  IDLE_MS,
  SESSION_COOKIE,
  setCookie,
} from '../lib/session-token.ts'
import { makeShapes } from '../lib/shape.ts'
import { enterByInvitation, isInvitationToken } from '../signin/invitations.ts'
import { isLinkToken, redeemLink, requestLink } from '../signin/links.ts'
import { localPath } from '../signin/next-path.ts'
import type { Oidc, Provider } from '../signin/oidc.ts'
import { invitationPage, messagePage, redeemPage, STYLE, signedInPage, signInPage } from '../signin/pages.ts'
import type { Entered } from '../signin/session.ts'
import { beginSso, finishSso, type SsoParts } from '../signin/sso.ts'
import { sessionOverview } from '../signin/store.ts'
import type { Identity } from './authenticate.ts'
import type { Gate } from './dispatch.ts'
import { acceptForms, isForm, knownBrowser, queryOf, sendPage, visitorOf } from './sign-in-request.ts'

const MAX_BODY_BYTES = 16 * 1024
const STYLE_AGE_S = 3_600

const ON_ITS_WAY = 'If the address belongs to somebody who may sign in, a mail with a link is on its way.'
const LINK_REFUSED =
  'This link does not work. It works once, for ten minutes, in the browser in which it was asked for. Ask for a new one.'
const INVITATION_REFUSED =
  'This invitation does not work. It works once, for seven days, unless it was withdrawn. Ask for a new one.'
const SSO_REFUSED = 'The sign-in did not succeed. Try again, or ask your administrator.'
const SSO_AWAY = 'The identity provider does not answer at the moment. Try again in a minute.'

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

export async function addSignIn(server: FastifyInstance, parts: SignInParts): Promise<void> {
  // A scope of its own: forms are taken here and nowhere else.
  await server.register(async scope => {
    acceptForms(scope)
    scope.addHook('onRequest', async request => {
      const wait_s = parts.gate.limiter.take(`address:${request.ip}`, parts.gate.clock.monotonic_ms())
      if (wait_s > 0) throw tooManyRequests(wait_s)
    })
    addPages(scope, parts)
    addLinks(scope, parts)
    addInvitations(scope, parts)
    addSso(scope, parts)
    addSessions(scope, parts)
  })
}

function addPages(server: FastifyInstance, { deps, gate, providers, mail_delivery }: SignInParts): void {
  const choices = providers.map(({ id, name }) => ({ id, name }))
  server.get('/auth/providers', async (request, reply) => {
    knownBrowser(request, reply, deps.secrets)
    return reply.send({ providers: choices, mail_links: true, mail_delivery })
  })
  server.get('/auth/style.css', async (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${STYLE_AGE_S}`)
      .type('text/css; charset=utf-8')
      .send(STYLE),
  )
  server.get('/sign-in', async (request, reply) => {
    const signedIn = await sessionOf(gate, request).catch(nobody)
    if (signedIn) {
      return sendPage(reply, 200, signedInPage(signedIn.identity.caller.name, csrfTokenOf(signedIn.secret)))
    }
    knownBrowser(request, reply, deps.secrets)
    return sendPage(reply, 200, signInPage(choices, localPath(queryOf(request).get('next'))))
  })
}

function addLinks(server: FastifyInstance, { deps, gate }: SignInParts): void {
  const shapes = makeShapes()
  const checkWish = shapes.ofBody(LinkWish)
  const checkRedemption = shapes.ofBody(Redemption)
  const options = { bodyLimit: MAX_BODY_BYTES }

  server.post('/auth/link', options, async (request, reply) => {
    const problems = checkWish(request.body, '')
    if (problems) return refuse(request, reply, invalid(problems), 'The mail address is not valid.')
    const { email, next } = request.body as { email: string; next?: string }
    const browser = knownBrowser(request, reply, deps.secrets)
    await requestLink(deps, { email, browser, next_path: localPath(next), now: gate.clock.now() })
    reply.code(202)
    return isForm(request)
      ? sendPage(reply, 202, messagePage('Look into your mail', ON_ITS_WAY))
      : reply.send({ message: ON_ITS_WAY })
  })

  // Programs that scan mails open every link: nothing is looked up here, let alone used.
  server.get('/auth/link', async (request, reply) => {
    const token = queryOf(request).get('token')
    return isLinkToken(token)
      ? sendPage(reply, 200, redeemPage(token))
      : sendPage(reply, 403, messagePage('Sign in', LINK_REFUSED))
  })

  server.post('/auth/link/redeem', options, async (request, reply) => {
    const problems = checkRedemption(request.body, '')
    if (problems) return refuse(request, reply, invalid(problems), LINK_REFUSED)
    const { token } = request.body as { token: string }
    const entered = isLinkToken(token)
      ? await redeemLink(deps, token, visitorOf(request), gate.clock.now())
      : undefined
    return entered
      ? letIn(reply, deps, entered)
      : refuse(request, reply, new AppError(403, LINK_REFUSED), LINK_REFUSED)
  })
}

function addInvitations(server: FastifyInstance, { deps, gate }: SignInParts): void {
  const checkRedemption = makeShapes().ofBody(Redemption)

  // As for links: looking uses nothing up.
  server.get('/auth/invitation', async (request, reply) => {
    const token = queryOf(request).get('token')
    return isInvitationToken(token)
      ? sendPage(reply, 200, invitationPage(token))
      : sendPage(reply, 403, messagePage('Invitation', INVITATION_REFUSED))
  })

  server.post('/auth/invitation/redeem', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const problems = checkRedemption(request.body, '')
    if (problems) return refuse(request, reply, invalid(problems), INVITATION_REFUSED)
    const { token } = request.body as { token: string }
    const occasion = { now: gate.clock.now(), request_id: request.id }
    const entered = isInvitationToken(token)
      ? await enterByInvitation(deps, token, visitorOf(request), occasion)
      : undefined
    if (!entered) return refuse(request, reply, new AppError(403, INVITATION_REFUSED), INVITATION_REFUSED)
    deps.forgetCaller(entered.user_id)
    return letIn(reply, deps, entered)
  })
}

function addSso(server: FastifyInstance, { deps, gate, oidc, providers, onRefused }: SignInParts): void {
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
      ? sendPage(reply, 502, messagePage('Sign in', SSO_AWAY))
      : reply.redirect(address, 303)
  })

  server.get('/auth/sso/:provider/callback', async (request, reply) => {
    const occasion = { now: gate.clock.now(), request_id: request.id }
    const entered = await finishSso(sso, providerOf(request), queryOf(request), visitorOf(request), occasion)
    return entered ? letIn(reply, deps, entered) : sendPage(reply, 403, messagePage('Sign in', SSO_REFUSED))
  })
}

function addSessions(server: FastifyInstance, { deps, gate }: SignInParts): void {
  server.get('/auth/session', async (request, reply) => {
    const { identity, secret } = await sessionOf(gate, request)
    const { id: user_id, key_id: session_id } = identity.caller
    const found = await sessionOverview(deps.db, { user_id, session_id })
    assert(found, 'a session that was recognised is there')
    const { user, display_name, orgs } = found
    const ends_ms = Math.min(found.last_seen_at.getTime() + IDLE_MS, found.expires_at.getTime())
    return reply.send({
      user,
      display_name,
      orgs,
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
    return isForm(request) ? reply.redirect('/sign-in', 303) : reply.send({ message: 'Signed out' })
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
  message: string,
): FastifyReply {
  if (!isForm(request)) throw error
  return sendPage(reply, error.status, messagePage('Sign in', message))
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
  const identity = await authenticator.identify(presented, undefined, { basic: false, anonymous: false })
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
