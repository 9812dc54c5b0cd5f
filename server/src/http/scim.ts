// The routes for SCIM provisioning by an identity provider: SCIM 2.0 (RFC 7643, RFC 7644) at /scim/v2/{org}. They
// accept only SCIM tokens of that organization, and respond in SCIM formats.
import {
  buildRoutes,
  GROUP,
  type Resources,
  renderProblem,
  SCIM_MEDIA_TYPE,
  ScimProblem,
  type ScimType,
  USER,
} from '@waybill/scim'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isInForce } from '../api/scim-tokens/owner.ts'
import { findStanding, findTokenHolder, type TokenHolder, touchToken } from '../api/scim-tokens/store.ts'
import { isAllowedAddress } from '../api/shared/allowed-addresses.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, forbidden, notFound } from '../lib/errors.ts'
import { hashSecret, parseTokenKind } from '../lib/secrets.ts'
import * as groups from '../scim/groups.ts'
import { buildScimUrl, type ScimDeps, type ScimRequest, scimTokenRequired } from '../scim/provision.ts'
import * as users from '../scim/users.ts'
import { UNLIMITED } from './authenticate.ts'
import type { Gate } from './dispatch.ts'
import { startErrorReply } from './error-response.ts'
import { parseJson } from './json-gate.ts'
import { countRequest } from './rate-limit.ts'

export const SCIM_PREFIX = '/scim/v2/:org'

const TOUCH_EVERY_MS = 60_000

declare module 'fastify' {
  interface FastifyRequest {
    scim_token?: TokenHolder
  }
}

export interface ScimParts {
  deps: ScimDeps
  gate: Pick<Gate, 'limiters' | 'clock'>
}

export async function addScim(server: FastifyInstance, parts: ScimParts): Promise<void> {
  await server.register(
    async scim => {
      scim.addContentTypeParser(SCIM_MEDIA_TYPE, { parseAs: 'buffer' }, parseBody)
      scim.setErrorHandler((error, request, reply) => sendScimError(error, request, reply))
      // The server rejects unknown routes before anything else; this only sets the format of the response.
      scim.setNotFoundHandler(async () => {
        throw notFound('There is nothing at this address')
      })
      scim.addHook('onRequest', request => admit(request, parts))
      addRoutes(scim, parts)
    },
    { prefix: SCIM_PREFIX },
  )
}

async function parseBody(_: FastifyRequest, body: Buffer): Promise<unknown> {
  return body.length === 0 ? undefined : parseJson(body, 'body')
}

function sendScimError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = error instanceof ScimProblem ? new AppError(error.status, error.message) : error
  const answer = startErrorReply(known, request, reply)
  const scim_type = error instanceof ScimProblem ? error.scim_type : getScimType(answer)
  const detail = [answer.message, ...Object.values(answer.errors ?? {})].join('. ')
  return sendBody(reply, renderProblem(answer.status, scim_type, detail))
}

function sendBody(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.type(`${SCIM_MEDIA_TYPE}; charset=utf-8`).send(JSON.stringify(body))
}

/** The SCIM type of errors found before the SCIM logic: invalid JSON, or text that cannot be stored. */
function getScimType({ status, errors }: AppError): ScimType | undefined {
  return status === 400 && errors ? 'invalidSyntax' : undefined
}

/**
 * Runs before the body is read. Every problem with a credential gets the same response, which reveals nothing about
 * the organization.
 */
async function admit(request: FastifyRequest, { deps, gate }: ScimParts): Promise<void> {
  const { org: org_name } = request.params as { org: string }
  request.known.org_name = org_name
  const holder = await authenticateToken(request, deps, gate.clock)
  const { address } = request.known
  countRequest(gate, holder ? { key_id: holder.token_id } : { address, traffic: 'anonymous' })
  if (!holder) throw scimTokenRequired()
  checkAddress(holder, address)
  request.scim_token = holder
  const { token_id, hint } = holder
  // Only for the log line; nothing else uses it here.
  request.known.caller = {
    name: hint,
    kind: 'service_account',
    credential: 'key',
    id: token_id,
    key_id: token_id,
    session_method: null,
    default_org_name: null,
    ...UNLIMITED,
  }
}

/** The words of requests with a key. Only whoever has the token learns them. */
function checkAddress({ allowed_addresses, settings, org_name }: TokenHolder, address: string): void {
  if (!isAllowedAddress(allowed_addresses, address))
    throw forbidden(`This token may not be used from ${address}`)
  if (!isAllowedAddress(settings.allowed_addresses, address))
    throw forbidden(`The organization '${org_name}' may not be reached from ${address}`)
}

async function authenticateToken(
  request: FastifyRequest,
  { db }: ScimDeps,
  clock: Clock,
): Promise<TokenHolder | undefined> {
  const { org: org_name } = request.params as { org: string }
  const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined || parseTokenKind(token) !== 'scim' || org_name.includes('\0')) return undefined
  const secret_hash = hashSecret(token)
  const now = clock.now()
  const holder = await findTokenHolder(db, { secret_hash, org_name, now })
  const standing = holder && (await findStanding(db, holder))
  if (!holder || !standing || !isInForce(standing)) return undefined
  const used_ms = holder.last_used_at?.getTime() ?? 0
  if (now.getTime() - used_ms >= TOUCH_EVERY_MS) await touchToken(db, secret_hash, now)
  return holder
}

function toScimRequest(request: FastifyRequest, { gate }: ScimParts): ScimRequest {
  const { scim_token: token } = request
  if (!token) throw scimTokenRequired()
  return {
    org: { org_id: token.org_id, name: token.org_name },
    caller: { id: token.token_id, name: token.hint },
    now: gate.clock.now(),
    request_id: request.id,
  }
}

function addRoutes(scim: FastifyInstance, parts: ScimParts): void {
  const { deps } = parts
  const routes = buildRoutes(listResources(deps), ({ org }: ScimRequest) => ({
    address: buildScimUrl(deps.base_url, org.name),
    token: 'A SCIM token of the organization, created by one of its admins',
    describeType: ({ endpoint }) => `${endpoint} of the organization`,
  }))
  for (const { method, path, answer } of routes) {
    scim.route({
      method,
      url: path,
      handler: async (request, reply) => {
        const { id = '' } = request.params as { id?: string }
        const query = request.query as Record<string, unknown>
        const message = { id, query, body: request.body }
        const { status, headers, body } = await answer(toScimRequest(request, parts), message)
        reply.code(status).headers(headers)
        return body === undefined ? reply.send() : sendBody(reply, body)
      },
    })
  }
}

function listResources(deps: ScimDeps): Resources<ScimRequest>[] {
  return [
    {
      type: USER,
      create: (request, body) => users.createUser(deps, request, body),
      get: (request, id, projection) => users.getUser(deps, request, id, projection),
      list: (request, query) => users.listUsers(deps, request, query),
      replace: (request, id, body) => users.replaceUser(deps, request, id, body),
      patch: (request, id, body) => users.patchUser(deps, request, id, body),
      remove: (request, id) => users.deleteUser(deps, request, id),
    },
    {
      type: GROUP,
      create: (request, body) => groups.createGroup(deps, request, body),
      get: (request, id, projection) => groups.getGroup(deps, request, id, projection),
      list: (request, query) => groups.listGroups(deps, request, query),
      replace: (request, id, body) => groups.replaceGroup(deps, request, id, body),
      patch: (request, id, body) => groups.patchGroup(deps, request, id, body),
      remove: (request, id) => groups.deleteGroup(deps, request, id),
    },
  ]
}
