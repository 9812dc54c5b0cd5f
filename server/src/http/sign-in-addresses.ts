// The page on which a signed-in person proves a new mail address. The logic is in signin/addresses.ts.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Deps } from '../api/operation.ts'
import { AppError, invalid } from '../lib/errors.ts'
import { computeCsrfToken } from '../lib/session-token.ts'
import { makeBodyShapeCheck } from '../lib/shape.ts'
import {
  renderAddressChangedPage,
  renderAddressPage,
  renderAddressSignInPage,
  renderNoAddressPage,
} from '../signin/address-pages.ts'
import { isAddressToken, proveAddress } from '../signin/addresses.ts'
import type { Site } from '../signin/pages.ts'
import type { Gate } from './dispatch.ts'
import {
  ignoreUnauthenticated,
  isForm,
  MAX_BODY_BYTES,
  readCsrfToken,
  readQuery,
  refuse,
  requireSession,
  sendPage,
} from './sign-in-request.ts'

const REFUSED =
  'This link does not work. It works once, for an hour, for the person who asked for it. Request a new one on your profile.'
const TAKEN =
  'Nothing was changed: another account has this address. Sign in with the address to use that account.'

const Proof = Type.Object(
  { token: Type.String({ writeOnly: true }), csrf_token: Type.Optional(Type.String({ writeOnly: true })) },
  { additionalProperties: false },
)

export function addAddresses(
  server: FastifyInstance,
  { deps, gate, site }: { deps: Deps; gate: Gate; site: Site },
): void {
  const checkProof = makeBodyShapeCheck(Proof)

  // As with other links, viewing the page neither uses it up nor looks anything up.
  server.get('/auth/address', async (request, reply) => {
    const token = readQuery(request).get('token')
    if (!isAddressToken(token)) return sendPage(reply, 403, renderNoAddressPage(site, REFUSED))
    const signedIn = await requireSession(gate, request).catch(ignoreUnauthenticated)
    if (!signedIn) return sendPage(reply, 200, renderAddressSignInPage(site))
    const { identity, secret } = signedIn
    const shown = { token, user: identity.caller.name, csrf_token: computeCsrfToken(secret) }
    return sendPage(reply, 200, renderAddressPage(site, shown))
  })

  server.post('/auth/address/prove', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const problems = checkProof(request.body, '')
    if (problems) {
      return refuse(request, reply, invalid(problems), () => renderNoAddressPage(site, REFUSED))
    }
    const { token } = request.body as { token: string }
    const { identity } = await requireSession(gate, request, readCsrfToken(request))
    const { caller } = identity
    request.known.caller = caller
    const context = { now: gate.clock.now(), request_id: request.id }
    const proved = isAddressToken(token) ? await proveAddress(deps, token, caller, context) : 'refused'
    if (proved !== 'changed') {
      const message = proved === 'taken' ? TAKEN : REFUSED
      const error = new AppError(proved === 'taken' ? 409 : 403, message)
      return refuse(request, reply, error, () => renderNoAddressPage(site, message))
    }
    return isForm(request)
      ? sendPage(reply, 200, renderAddressChangedPage(site))
      : reply.send({ message: 'The address is yours' })
  })
}
