// Sign-in and sign-out for browsers: pages and endpoints outside the API. The logic is in signin/; this file handles
// cookies, forms and redirects.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../api/operation.ts'
import { signOut } from '../api/sessions/sign-out.ts'
import { endSession } from '../api/sessions/store.ts'
import { findOrgCreationProblem } from '../domain/org-creation.ts'
import { isSessionBlocked } from '../domain/single-sign-on.ts'
import { assert } from '../lib/assert.ts'
import { readBasePath } from '../lib/base-path.ts'
import { notFound } from '../lib/errors.ts'
import { toWireId } from '../lib/ids.ts'
import {
  computeCsrfToken,
  computeExpiry,
  formatSetCookie,
  readCookie,
  SESSION_COOKIE,
} from '../lib/session-token.ts'
import { toLocalPath } from '../signin/next-path.ts'
import type { Oidc, Provider } from '../signin/oidc.ts'
import {
  renderProblemPage,
  renderSignedInPage,
  renderSignInPage,
  renderSsoRefusedPage,
  renderSsoUnavailablePage,
  type SignInOptions,
  type Site,
} from '../signin/pages.ts'
import { beginSso, finishSso, type SsoParts } from '../signin/sso.ts'
import { findSessionOverview, isAwaitingFirstSignIn } from '../signin/store.ts'
import { STYLE } from '../signin/style.ts'
import type { Gate } from './dispatch.ts'
import { sendError, startErrorReply } from './error-response.ts'
import { addMailStop } from './mail-stop.ts'
import { countRequest } from './rate-limit.ts'
import { addAddresses } from './sign-in-addresses.ts'
import { addInvitations, addLinks } from './sign-in-links.ts'
import { CROSS_SITE, refuseCrossSite } from './sign-in-origin.ts'
import {
  acceptForms,
  acceptsPage,
  completeSignIn,
  ensureBrowser,
  ignoreUnauthenticated,
  isForm,
  MAX_BODY_BYTES,
  readCsrfToken,
  readQuery,
  readVisitor,
  requireSession,
  sendPage,
} from './sign-in-request.ts'

const STYLE_AGE_S = 3_600

export interface SignInParts {
  deps: Deps
  gate: Gate
  oidc: Oidc
  providers: readonly Provider[]
  /** Without a mail server, mails are written to files that only the operator can open. */
  mail_delivery: 'smtp' | 'file'
  onRefused(provider_id: string, reason: string): void
}

interface Parts extends SignInParts {
  site: Site
}

export async function addSignIn(server: FastifyInstance, given: SignInParts): Promise<void> {
  const { deps, gate, mail_delivery } = given
  const choices = given.providers.map(({ id, name }) => ({ id, name }))
  const site: Site = { region: deps.region, choices, mail_delivery, base_path: readBasePath(deps.base_url) }
  const parts: Parts = { ...given, site }
  await addMailStop(server, parts)
  // A separate scope: only these routes accept forms.
  await server.register(async scope => {
    acceptForms(scope)
    scope.setErrorHandler((error, request, reply) => {
      if (acceptsPage(request)) sendProblem(site, error, request, reply)
      else sendError(error, request, reply)
    })
    scope.addHook('onRequest', async request => {
      countRequest(gate, { address: request.known.address, traffic: 'sign_in' })
      refuseCrossSite(request, deps.base_url)
    })
    addPages(scope, parts)
    addLinks(scope, parts)
    addInvitations(scope, parts)
    addAddresses(scope, parts)
    addSso(scope, parts)
    addSessions(scope, parts)
  })
}

function addPages(server: FastifyInstance, { deps, gate, site }: Parts): void {
  const isFirstRun = makeFirstRunCheck(deps, gate)
  server.get('/auth/providers', async (request, reply) => {
    ensureBrowser(request, reply, deps.secrets)
    const { choices: providers, mail_delivery } = site
    return reply.send({ providers, mail_links: !deps.sso.required, mail_delivery })
  })
  server.get('/auth/style.css', async (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${STYLE_AGE_S}`)
      .type('text/css; charset=utf-8')
      .send(STYLE),
  )
  server.get('/sign-in', async (request, reply) => {
    const query = readQuery(request)
    const next_path = toLocalPath(query.get('next'))
    const signedIn = await requireSession(gate, request).catch(ignoreUnauthenticated)
    const wantsSso = query.get('sso') === '1'
    if (signedIn && !(wantsSso && signedIn.identity.caller.session_method !== 'sso')) {
      const { identity, secret } = signedIn
      const shown = { user: identity.caller.name, csrf_token: computeCsrfToken(secret), next_path }
      return sendPage(reply, 200, renderSignedInPage(site, shown))
    }
    ensureBrowser(request, reply, deps.secrets)
    if (wantsSso)
      return sendPage(reply, 200, renderSignInPage(site, { next_path, notice: 'sso-required', mail: 'none' }))
    const notice = chooseNotice(request, query) ?? ((await isFirstRun()) ? 'first-run' : undefined)
    const mail = deps.sso.required && query.get('mail') !== '1' ? 'on request' : undefined
    return sendPage(reply, 200, renderSignInPage(site, { next_path, notice, mail }))
  })
}

/** An ended session is recognized by its cookie, or by the web app, which passes it on. */
function chooseNotice(request: FastifyRequest, query: URLSearchParams): SignInOptions['notice'] {
  if (query.get('signed_out') === '1') return 'signed-out'
  const isOver = readCookie(request.headers.cookie, SESSION_COOKIE) !== undefined
  return isOver || query.get('ended') === '1' ? 'ended' : undefined
}

/** The first run ends only once: after that the database is not queried again. */
function makeFirstRunCheck({ db }: Deps, { clock }: Gate): () => Promise<boolean> {
  let isOver = false
  return async () => {
    isOver ||= !(await isAwaitingFirstSignIn(db, clock.now()))
    return !isOver
  }
}

function addSso(server: FastifyInstance, { deps, gate, oidc, providers, onRefused, site }: Parts): void {
  const sso: SsoParts = { deps, oidc, providers, onRefused }
  const requireProvider = (request: FastifyRequest): Provider => {
    const { provider: id } = request.params as { provider: string }
    const provider = providers.find(one => one.id === id)
    if (!provider) throw notFound('There is nothing at this address')
    return provider
  }

  server.get('/auth/sso/:provider', async (request, reply) => {
    const provider = requireProvider(request)
    const browser = ensureBrowser(request, reply, deps.secrets)
    const next_path = toLocalPath(readQuery(request).get('next'))
    const address = await beginSso(sso, provider, { browser, next_path, now: gate.clock.now() })
    return address === undefined
      ? sendPage(reply, 502, renderSsoUnavailablePage(site, provider, next_path))
      : reply.redirect(address, 303)
  })

  server.get('/auth/sso/:provider/callback', async (request, reply) => {
    const provider = requireProvider(request)
    const context = { now: gate.clock.now(), request_id: request.id }
    const entered = await finishSso(sso, provider, readQuery(request), readVisitor(request), context)
    return entered
      ? completeSignIn(reply, deps, entered)
      : sendPage(reply, 403, renderSsoRefusedPage(site, provider))
  })
}

function addSessions(server: FastifyInstance, { deps, gate }: SignInParts): void {
  server.get('/auth/session', async (request, reply) => {
    const { identity, secret } = await requireSession(gate, request)
    const { id: user_id, key_id: session_id } = identity.caller
    const found = await findSessionOverview(deps.db, { user_id, session_id })
    assert(found, 'a session that was recognised is there')
    const { user, display_name, time_zone, method, is_admin } = found
    const orgs = found.orgs.map(({ name, role, rule }) => ({
      name,
      role,
      needs_sso: isSessionBlocked(rule, { method, user, role }),
    }))
    return reply.send({
      user_id: toWireId(user_id),
      user,
      display_name,
      time_zone: time_zone ?? 'local',
      orgs,
      may_create_orgs: findOrgCreationProblem(deps.org_creation, is_admin) === undefined,
      csrf_token: computeCsrfToken(secret),
      expires_at: computeExpiry(found, deps.session_limits).getTime() / 1000,
    })
  })

  server.post('/auth/sign-out', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const { identity } = await requireSession(gate, request, readCsrfToken(request))
    const { caller } = identity
    request.known.caller = caller
    const context = { caller, now: gate.clock.now(), request_id: request.id, address: request.known.address }
    const ending = { user_id: caller.id, session_id: caller.key_id, now: context.now }
    await signOut(context, deps, async tx => ((await endSession(tx, ending)) ? 1 : 0))
    reply.header('set-cookie', formatSetCookie(SESSION_COOKIE, '', 0))
    return isForm(request)
      ? reply.redirect('/sign-in?signed_out=1', 303)
      : reply.send({ message: 'Signed out' })
  })
}

/** Errors without a page of their own. */
function sendProblem(site: Site, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, message, headers } = startErrorReply(error, request, reply)
  const show = (title: string, text: string) => sendPage(reply, status, renderProblemPage(site, title, text))
  if (status === 429)
    show('One moment', `Too many attempts. Wait ${headers['retry-after']} s, then try again.`)
  else if (status === 401) show('You are not signed in', 'Your session has ended, or you have signed out.')
  else if (message === CROSS_SITE) show('Not done', `${message}.`)
  else if (status === 403)
    show('Not done', 'The page belongs to an earlier session. Reload it, then try again.')
  else if (status === 404) show('Nothing here', `${message}.`)
  else if (status >= 500)
    show(
      'Something went wrong',
      `Try again. If it happens again, give your administrator the request id ${request.id}.`,
    )
  else show('Not done', `${message}.`)
}
