// Sign-in by mail: requesting a link, redeeming it, and accepting an invitation. The logic is in signin/.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Deps } from '../api/operation.ts'
import { AppError, invalid } from '../lib/errors.ts'
import { computeFormToken, isFormToken } from '../lib/session-token.ts'
import { makeBodyShapeCheck } from '../lib/shape.ts'
import { acceptInvitation, isInvitationToken, signInByInvitation } from '../signin/invitations.ts'
import { isLinkToken, redeemLink, requestLink } from '../signin/links.ts'
import { FRONT_PAGE, toLocalPath } from '../signin/next-path.ts'
import {
  renderInvitationNeedsSsoPage,
  renderInvitationPage,
  renderInvitationRefusedPage,
  renderLinkRefusedPage,
  renderLinkSentPage,
  renderProblemPage,
  renderRedeemPage,
  renderSignInPage,
  type SignInOptions,
  type Site,
} from '../signin/pages.ts'
import type { Gate } from './dispatch.ts'
import {
  completeSignIn,
  ensureBrowser,
  ignoreUnauthenticated,
  isForm,
  MAX_BODY_BYTES,
  readCsrfToken,
  readQuery,
  readVisitor,
  refuse,
  requireSession,
  sendPage,
} from './sign-in-request.ts'

const LINK_SENT = 'If this address may sign in, a mail with a link is on its way.'
const LINK_REFUSED =
  'This link does not work. A link works once, for ten minutes, in the browser that requested it. Request a new one.'
const INVITATION_REFUSED =
  'This invitation does not work. An invitation works once, for seven days, unless it was withdrawn. Ask for a new one.'
const NOT_FROM_THIS_PAGE =
  'The invitation was not accepted from the page in this browser. Open the link in the mail again, and press the button there.'
const NO_COOKIES =
  'If you have just pressed it, this browser keeps no cookies: allow them for this site, or use another browser.'
const SIGN_IN_FIRST =
  'Single sign-on is required here. Sign in with the invited address, then open the link in the mail again.'
const NOT_AN_ADDRESS = 'This is not a mail address. It must look like name@company.example.'

const LinkRequest = Type.Object(
  {
    email: Type.String({ maxLength: 254, pattern: '^[^\\s@\\x00-\\x1f]+@[^\\s@\\x00-\\x1f]+$' }),
    next: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
const Redemption = Type.Object({ token: Type.String({ writeOnly: true }) }, { additionalProperties: false })
const Acceptance = Type.Object(
  { token: Type.String({ writeOnly: true }), csrf_token: Type.Optional(Type.String({ writeOnly: true })) },
  { additionalProperties: false },
)

interface LinkParts {
  deps: Deps
  gate: Gate
  site: Site
}

export function addLinks(server: FastifyInstance, { deps, gate, site }: LinkParts): void {
  const checkLinkRequest = makeBodyShapeCheck(LinkRequest)
  const checkRedemption = makeBodyShapeCheck(Redemption)
  const options = { bodyLimit: MAX_BODY_BYTES }
  const renderRefusal = (request: FastifyRequest) =>
    renderLinkRefusedPage(site, {
      is_new_browser: readVisitor(request).browser === undefined,
      is_sso_required: deps.sso.required,
    })
  const refuseLink = (request: FastifyRequest, reply: FastifyReply, error: AppError) =>
    refuse(request, reply, error, () => renderRefusal(request))

  server.post('/auth/link', options, async (request, reply) => {
    const problems = checkLinkRequest(request.body, '')
    if (problems) {
      return refuse(request, reply, invalid(problems), () =>
        renderSignInPage(site, buildInvalidOptions(request)),
      )
    }
    const { email, next } = request.body as { email: string; next?: string }
    const browser = ensureBrowser(request, reply, deps.secrets)
    const next_path = toLocalPath(next)
    const { address } = request.known
    await requestLink(deps, { email, browser, address, next_path, now: gate.clock.now() })
    reply.code(202)
    return isForm(request)
      ? sendPage(reply, 202, renderLinkSentPage(site, { email, next_path }))
      : reply.send({ message: LINK_SENT })
  })

  // Mail scanners open every link: nothing is looked up here, let alone used.
  server.get('/auth/link', async (request, reply) => {
    const token = readQuery(request).get('token')
    return isLinkToken(token)
      ? sendPage(reply, 200, renderRedeemPage(site, token))
      : sendPage(reply, 403, renderRefusal(request))
  })

  server.post('/auth/link/redeem', options, async (request, reply) => {
    const problems = checkRedemption(request.body, '')
    if (problems) return refuseLink(request, reply, invalid(problems))
    const { token } = request.body as { token: string }
    // From now on the browser is known: by the session, or as one in which the person has opened a link.
    const visitor = { ...readVisitor(request), browser: ensureBrowser(request, reply, deps.secrets) }
    const entered = isLinkToken(token) ? await redeemLink(deps, token, visitor, gate.clock.now()) : undefined
    return entered
      ? completeSignIn(reply, deps, entered)
      : refuseLink(request, reply, new AppError(403, LINK_REFUSED))
  })
}

/** Keeps the input, so that it can be corrected. */
function buildInvalidOptions(request: FastifyRequest): SignInOptions {
  const { email, next } = (request.body ?? {}) as { email?: string; next?: string }
  return { next_path: toLocalPath(next), email: email ?? '', problem: NOT_AN_ADDRESS }
}

export function addInvitations(server: FastifyInstance, { deps, gate, site }: LinkParts): void {
  const checkAcceptance = makeBodyShapeCheck(Acceptance)
  const refuseInvitation = (request: FastifyRequest, reply: FastifyReply, error: AppError) =>
    refuse(request, reply, error, () => renderInvitationRefusedPage(site))

  // As with links, viewing the page does not use it up.
  server.get('/auth/invitation', async (request, reply) => {
    const token = readQuery(request).get('token')
    if (!isInvitationToken(token)) return sendPage(reply, 403, renderInvitationRefusedPage(site))
    const csrf_token = computeFormToken(ensureBrowser(request, reply, deps.secrets), token)
    return sendPage(reply, 200, renderInvitationPage(site, { token, csrf_token }))
  })

  server.post('/auth/invitation/redeem', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const problems = checkAcceptance(request.body, '')
    if (problems) return refuseInvitation(request, reply, invalid(problems))
    const { token } = request.body as { token: string }
    if (!isInvitationToken(token)) {
      return refuseInvitation(request, reply, new AppError(403, INVITATION_REFUSED))
    }
    const visitor = readVisitor(request)
    // Another site could submit its own invitation, and the person would work in an account that is not theirs.
    if (!isFormToken(readCsrfToken(request).csrf_token, visitor.browser, token)) {
      const message =
        visitor.browser === undefined ? `${NOT_FROM_THIS_PAGE} ${NO_COOKIES}` : NOT_FROM_THIS_PAGE
      const renderRefusal = () => renderProblemPage(site, 'One more click', message)
      return refuse(request, reply, new AppError(403, message), renderRefusal)
    }
    if (deps.sso.required) return acceptSignedIn(request, reply, token)
    const context = { now: gate.clock.now(), request_id: request.id }
    const entered = await signInByInvitation(deps, token, visitor, context)
    if (!entered) return refuseInvitation(request, reply, new AppError(403, INVITATION_REFUSED))
    deps.forgetCaller(entered.user_id)
    return completeSignIn(reply, deps, entered)
  })

  async function acceptSignedIn(request: FastifyRequest, reply: FastifyReply, token: string) {
    const signedIn = await requireSession(gate, request).catch(ignoreUnauthenticated)
    const caller = signedIn?.identity.caller
    const context = { now: gate.clock.now(), request_id: request.id }
    const outcome = await acceptInvitation(deps, token, caller, context)
    if (outcome === 'accepted') return reply.redirect(FRONT_PAGE, 303)
    if (outcome === 'refused') return refuseInvitation(request, reply, new AppError(403, INVITATION_REFUSED))
    return refuse(request, reply, new AppError(403, SIGN_IN_FIRST), () =>
      renderInvitationNeedsSsoPage(site, caller?.name),
    )
  }
}
