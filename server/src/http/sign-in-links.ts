// Coming in by mail: asking for a link, redeeming it, and accepting an invitation. What is decided is in signin/.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError, invalid } from '../lib/errors.ts'
import { formTokenOf, isFormToken } from '../lib/session-token.ts'
import { shapeOfBody } from '../lib/shape.ts'
import { acceptSignedIn, enterByInvitation, isInvitationToken } from '../signin/invitations.ts'
import { isLinkToken, redeemLink, requestLink } from '../signin/links.ts'
import { FRONT_PAGE, localPath } from '../signin/next-path.ts'
import {
  invitationNeedsSsoPage,
  invitationPage,
  invitationRefusedPage,
  linkRefusedPage,
  linkSentPage,
  problemPage,
  redeemPage,
  type SignInWish,
  signInPage,
} from '../signin/pages.ts'
import { nobody, type Parts, sessionOf } from './sign-in.ts'
import {
  csrfIn,
  isForm,
  knownBrowser,
  letIn,
  MAX_BODY_BYTES,
  queryOf,
  refuse,
  sendPage,
  visitorOf,
} from './sign-in-request.ts'

const ON_ITS_WAY = 'If the address belongs to somebody who may sign in, a mail with a link is on its way.'
const LINK_REFUSED =
  'This link does not work. It works once, for ten minutes, in the browser in which it was asked for. Ask for a new one.'
const INVITATION_REFUSED =
  'This invitation does not work. It works once, for seven days, unless it was withdrawn. Ask for a new one.'
const NOT_FROM_THIS_PAGE =
  'The invitation was not accepted from the page of this browser. Open the link in the mail again, and press the button there.'
const SIGN_IN_FIRST =
  'Single sign-on is required here. Sign in with the address that was invited, then open the link in the mail again.'
const NOT_AN_ADDRESS = 'This is not a mail address. One looks like name@company.example.'

const LinkWish = Type.Object(
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

export function addLinks(server: FastifyInstance, { deps, gate, site }: Parts): void {
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
    const { address } = request.known
    await requestLink(deps, { email, browser, address, next_path, now: gate.clock.now() })
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

export function addInvitations(server: FastifyInstance, { deps, gate, site }: Parts): void {
  const checkAcceptance = shapeOfBody(Acceptance)
  const refuseInvitation = (request: FastifyRequest, reply: FastifyReply, error: AppError) =>
    refuse(request, reply, error, () => invitationRefusedPage(site))

  // As for links: looking uses nothing up.
  server.get('/auth/invitation', async (request, reply) => {
    const token = queryOf(request).get('token')
    if (!isInvitationToken(token)) return sendPage(reply, 403, invitationRefusedPage(site))
    const csrf_token = formTokenOf(knownBrowser(request, reply, deps.secrets), token)
    return sendPage(reply, 200, invitationPage(site, { token, csrf_token }))
  })

  server.post('/auth/invitation/redeem', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const problems = checkAcceptance(request.body, '')
    if (problems) return refuseInvitation(request, reply, invalid(problems))
    const { token } = request.body as { token: string }
    const visitor = visitorOf(request)
    // Another site could send somebody else's invitation, and the person would work in an account that is not theirs.
    if (isInvitationToken(token) && !isFormToken(csrfIn(request).csrf_token, visitor.browser, token)) {
      const refused = () => problemPage(site, 'One more click', NOT_FROM_THIS_PAGE)
      return refuse(request, reply, new AppError(403, NOT_FROM_THIS_PAGE), refused)
    }
    const occasion = { now: gate.clock.now(), request_id: request.id }
    if (isInvitationToken(token) && deps.sso.required) {
      const signedIn = await sessionOf(gate, request).catch(nobody)
      if (signedIn && (await acceptSignedIn(deps, token, signedIn.identity.caller, occasion))) {
        return reply.redirect(FRONT_PAGE, 303)
      }
      return refuse(request, reply, new AppError(403, SIGN_IN_FIRST), () => invitationNeedsSsoPage(site))
    }
    const entered = isInvitationToken(token)
      ? await enterByInvitation(deps, token, visitor, occasion)
      : undefined
    if (!entered) return refuseInvitation(request, reply, new AppError(403, INVITATION_REFUSED))
    deps.forgetCaller(entered.user_id)
    return letIn(reply, deps, entered)
  })
}
