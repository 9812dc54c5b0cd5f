// The routes for SCIM provisioning by an identity provider: SCIM 2.0 (RFC 7643, RFC 7644) at /scim/v2/{org}. They
// accept only SCIM tokens of that organization, and respond in the formats of SCIM.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findTokenHolder, type TokenHolder, touchToken } from '../api/scim-tokens/store.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppError, notFound, unauthenticated } from '../lib/errors.ts'
import { hashSecret, parseTokenKind } from '../lib/secrets.ts'
import { GROUP, USER } from '../scim/attributes.ts'
import * as discovery from '../scim/discovery.ts'
import * as groups from '../scim/groups.ts'
import type { ListQuery } from '../scim/list.ts'
import { invalidSyntax, invalidValue, ScimProblem } from '../scim/problems.ts'
import { applyProjection } from '../scim/projection.ts'
import type { ScimDeps, ScimRequest } from '../scim/provision.ts'
import * as users from '../scim/users.ts'
import type { Values } from '../scim/values.ts'
import { UNLIMITED } from './authenticate.ts'
import type { Gate } from './dispatch.ts'
import { startErrorReply } from './error-response.ts'
import { parseJson } from './json-gate.ts'
import { countRequest } from './rate-limit.ts'

export const SCIM_PREFIX = '/scim/v2/:org'

const SCIM_TYPE = 'application/scim+json'
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'
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
      scim.addContentTypeParser(SCIM_TYPE, { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) =>
        body.length === 0 ? undefined : parseJson(body, 'body'),
      )
      scim.setErrorHandler((error, request, reply) => sendScimError(error, request, reply))
      // The server rejects unknown routes before anything else; this only sets the format of the response.
      scim.setNotFoundHandler(async () => {
        throw notFound('There is nothing at this address')
      })
      scim.addHook('onRequest', request => admit(request, parts))
      addUsers(scim, parts)
      addGroups(scim, parts)
      addDiscovery(scim, parts)
    },
    { prefix: SCIM_PREFIX },
  )
}

function sendScimError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answer = startErrorReply(error, request, reply)
  const scimType = answer instanceof ScimProblem ? answer.scim_type : getScimType(answer)
  return reply.type(`${SCIM_TYPE}; charset=utf-8`).send(
    JSON.stringify({
      schemas: [ERROR_SCHEMA],
      status: String(answer.status),
      ...(scimType === undefined ? {} : { scimType }),
      detail: [answer.message, ...Object.values(answer.errors ?? {})].join('. '),
    }),
  )
}

/** The SCIM type of errors found before the SCIM logic: invalid JSON, or text that cannot be stored. */
function getScimType({ status, errors }: AppError): string | undefined {
  return status === 400 && errors ? 'invalidSyntax' : undefined
}

/**
 * Before the body is read. Every problem with a credential gets the same response, which reveals nothing about the
 * organization.
 */
async function admit(request: FastifyRequest, { deps, gate }: ScimParts): Promise<void> {
  const { org: org_name } = request.params as { org: string }
  request.known.org_name = org_name
  const holder = await authenticateToken(request, deps, gate.clock)
  const { address } = request.known
  countRequest(gate, holder ? { key_id: holder.token_id } : { address, traffic: 'anonymous' })
  if (!holder) throw unauthenticated('A SCIM token of this organization is required')
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
  const used_ms = holder?.last_used_at?.getTime() ?? 0
  if (holder && now.getTime() - used_ms >= TOUCH_EVERY_MS) await touchToken(db, secret_hash, now)
  return holder
}

function toScimRequest(request: FastifyRequest, { gate }: ScimParts): ScimRequest {
  const { scim_token: token } = request
  if (!token) throw unauthenticated('A SCIM token of this organization is required')
  return {
    org: { org_id: token.org_id, name: token.org_name },
    caller: { id: token.token_id, name: token.hint },
    now: gate.clock.now(),
    request_id: request.id,
  }
}

const QUERY = ['filter', 'startIndex', 'count', 'attributes', 'excludedAttributes'] as const

/** Other parameters, such as `sortBy`, are ignored, as the RFC requires. */
function readQuery({ query }: FastifyRequest): ListQuery {
  const given = query as Record<string, unknown>
  const readText = (name: (typeof QUERY)[number]) => {
    const value = given[name]
    if (value === undefined) return undefined
    if (typeof value !== 'string') throw invalidValue(`${name} is given more than once`)
    if (value.includes('\0')) throw invalidSyntax(`${name} contains a NUL character`)
    return value
  }
  return {
    filter: readText('filter'),
    startIndex: readText('startIndex'),
    count: readText('count'),
    attributes: readText('attributes'),
    excludedAttributes: readText('excludedAttributes'),
  }
}

const readId = ({ params }: FastifyRequest) => (params as { id: string }).id

function send(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).type(`${SCIM_TYPE}; charset=utf-8`).send(JSON.stringify(body))
}

function sendCreated(reply: FastifyReply, created: Values, shown: Values): FastifyReply {
  const { location } = created.meta as { location: string }
  return send(reply.header('location', location), 201, shown)
}

function addUsers(scim: FastifyInstance, parts: ScimParts): void {
  const { deps } = parts
  scim.post('/Users', async (request, reply) => {
    const query = readQuery(request)
    const created = await users.createUser(deps, toScimRequest(request, parts), request.body)
    return sendCreated(reply, created, applyProjection(USER, created, query))
  })
  scim.get('/Users', async (request, reply) =>
    send(reply, 200, await users.listUsers(deps, toScimRequest(request, parts), readQuery(request))),
  )
  scim.get('/Users/:id', async (request, reply) =>
    send(
      reply,
      200,
      await users.getUser(deps, toScimRequest(request, parts), readId(request), readQuery(request)),
    ),
  )
  scim.put('/Users/:id', async (request, reply) => {
    const query = readQuery(request)
    const user = await users.replaceUser(deps, toScimRequest(request, parts), readId(request), request.body)
    return send(reply, 200, applyProjection(USER, user, query))
  })
  scim.patch('/Users/:id', async (request, reply) => {
    const query = readQuery(request)
    const user = await users.patchUser(deps, toScimRequest(request, parts), readId(request), request.body)
    return send(reply, 200, applyProjection(USER, user, query))
  })
  scim.delete('/Users/:id', async (request, reply) => {
    await users.deleteUser(deps, toScimRequest(request, parts), readId(request))
    return reply.code(204).send()
  })
}

function addGroups(scim: FastifyInstance, parts: ScimParts): void {
  const { deps } = parts
  scim.post('/Groups', async (request, reply) => {
    const query = readQuery(request)
    const created = await groups.createGroup(deps, toScimRequest(request, parts), request.body)
    return sendCreated(reply, created, applyProjection(GROUP, created, query))
  })
  scim.get('/Groups', async (request, reply) =>
    send(reply, 200, await groups.listGroups(deps, toScimRequest(request, parts), readQuery(request))),
  )
  scim.get('/Groups/:id', async (request, reply) =>
    send(
      reply,
      200,
      await groups.getGroup(deps, toScimRequest(request, parts), readId(request), readQuery(request)),
    ),
  )
  scim.put('/Groups/:id', async (request, reply) => {
    const query = readQuery(request)
    const group = await groups.replaceGroup(
      deps,
      toScimRequest(request, parts),
      readId(request),
      request.body,
    )
    return send(reply, 200, applyProjection(GROUP, group, query))
  })
  scim.patch('/Groups/:id', async (request, reply) => {
    const query = readQuery(request)
    const group = await groups.patchGroup(deps, toScimRequest(request, parts), readId(request), request.body)
    return send(reply, 200, applyProjection(GROUP, group, query))
  })
  scim.delete('/Groups/:id', async (request, reply) => {
    await groups.deleteGroup(deps, toScimRequest(request, parts), readId(request))
    return reply.code(204).send()
  })
}

function addDiscovery(scim: FastifyInstance, parts: ScimParts): void {
  const { deps } = parts
  scim.get('/ServiceProviderConfig', async (request, reply) =>
    send(reply, 200, discovery.getServiceProviderConfig(deps, toScimRequest(request, parts))),
  )
  scim.get('/ResourceTypes', async (request, reply) =>
    send(reply, 200, discovery.listResourceTypes(deps, toScimRequest(request, parts))),
  )
  scim.get('/ResourceTypes/:id', async (request, reply) =>
    send(reply, 200, discovery.getResourceType(deps, toScimRequest(request, parts), readId(request))),
  )
  scim.get('/Schemas', async (request, reply) =>
    send(reply, 200, discovery.listSchemas(deps, toScimRequest(request, parts))),
  )
  scim.get('/Schemas/:id', async (request, reply) =>
    send(reply, 200, discovery.getSchema(deps, toScimRequest(request, parts), readId(request))),
  )
}
