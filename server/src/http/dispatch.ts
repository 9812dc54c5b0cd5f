// From a matched route to its result: identify and authorize before the body is read, validate, run the handler.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AttachedFile, Caller, CallerOrg, Contract, Deps, Operation } from '../api/operation.ts'
import { type Database, type Guard, guardTransactions } from '../db/database.ts'
import { isRole, type Role } from '../domain/roles.ts'
import type { LeafReceipt } from '../events/leaf-receipt.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import { assert } from '../lib/assert.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, featureDisabled, invalid, overQuota, unsupportedMediaType } from '../lib/errors.ts'
import type { Authenticator, Presented } from './authenticate.ts'
import { makeCallerGuard } from './caller-guard.ts'
import { type ClientWords, toNeutralInput } from './compat.ts'
import {
  type AdmittedRequest,
  type CheckedRequest,
  checkAdmission,
  checkNamedInput,
  checkRole,
  checkScope,
} from './credential-rules.ts'
import { buildLogHeaders } from './log-headers.ts'
import { type FormBody, readForm } from './multipart.ts'
import { countRequest, type OrgLimiter, type RateLimiters } from './rate-limit.ts'
import type { Room } from './room.ts'
import { sendResult } from './send-result.ts'
import type { Validators } from './validation.ts'

export interface Gate {
  db: Database
  authenticator: Authenticator
  limiters: RateLimiters
  org_limiter: OrgLimiter
  clock: Clock
  room: Room
}

/** Facts that the hooks learn about a request, kept for the handler and the log line. */
interface Known {
  /** The network address of the client. */
  address: string
  caller?: Caller
  org?: CallerOrg
  org_name?: string
  /** Set for operations that read the caller again in their transactions. */
  guard?: Guard
  /** Set for streams, which outlive what was known when they were opened. */
  recheck?: () => Promise<Role>
}

declare module 'fastify' {
  interface FastifyRequest {
    known: Known
  }
  interface FastifyContextConfig {
    operation_id?: string
    large_body_bytes?: number | undefined
  }
}

/** A body that its handler passes on, unparsed. */
export class LargeBody {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** Runs before the body is read: an unauthorized caller's megabytes are not worth parsing. */
export function makeAdmissionHook(contract: Contract, gate: Gate) {
  return async (request: FastifyRequest): Promise<void> => {
    const { org: org_name } = request.params as { org?: string }
    if (org_name !== undefined) request.known.org_name = org_name
    const { address } = request.known
    if (contract.access === 'public') {
      return countRequest(gate, { address, traffic: contract.limited_as ?? 'anonymous' })
    }
    const presented = readPresented(contract, request)
    const identity = await identify(gate, contract, request, presented)
    const { caller, org } = identity
    request.known.caller = caller
    countRequest(gate, caller.kind === 'anonymous' ? { address, traffic: 'anonymous' } : caller)
    const checked = {
      contract,
      address,
      path: request.params as CheckedRequest['path'],
      url_path: getPath(request),
      now: gate.clock.now(),
    }
    checkAdmission(identity, checked)
    if (isRole(contract.access) && org) {
      request.known.org = org
      limitOrg(gate, org)
    }
    checkRole(identity, contract)
    await checkScope(gate.db, caller, org, checked)
    if (contract.recheck_caller) {
      const admitted = { presented, org_name, identity, request: checked }
      request.known.guard = makeCallerGuard(gate.authenticator, admitted)
    }
    if (contract.streams) request.known.recheck = makeRecheck(gate, presented, org_name, checked)
    if (!org || !isRole(contract.access)) return
    if (contract.feature && org.features[contract.feature] !== true)
      throw featureDisabled(contract.feature, org.name)
  }
}

/**
 * The checks from when the stream was opened. This does not count as a use of the credential, so it does not prolong
 * a session.
 */
function makeRecheck(
  { authenticator, db, clock }: Gate,
  presented: Presented,
  org_name: string | undefined,
  opened: AdmittedRequest,
): () => Promise<Role> {
  return async () => {
    const rules = { visitors: undefined, is_fresh: false, is_use: false }
    const identity = await authenticator.identify(presented, org_name, rules)
    const checked = { ...opened, now: clock.now() }
    checkAdmission(identity, checked)
    checkRole(identity, opened.contract)
    await checkScope(db, identity.caller, identity.org, checked)
    assert(identity.org, 'a stream is of an org')
    return identity.org.role
  }
}

function readPresented({ method }: Contract, { headers, known }: FastifyRequest): Presented {
  const { authorization, cookie } = headers
  const csrf_token = headers['x-csrf-token']
  return {
    authorization,
    cookie,
    csrf_token: typeof csrf_token === 'string' ? csrf_token : undefined,
    is_safe: method === 'GET',
    address: known.address,
  }
}

/** Failed attempts count against the client's address. */
async function identify(gate: Gate, contract: Contract, request: FastifyRequest, presented: Presented) {
  const rules = {
    visitors: contract.visitors && {
      setting: contract.visitors,
      flow_name: (request.params as { flow_name?: string }).flow_name,
    },
    is_fresh: contract.recheck_caller === true,
    is_use: true,
  }
  try {
    return await gate.authenticator.identify(presented, request.known.org_name, rules)
  } catch (error) {
    countRequest(gate, { address: request.known.address, traffic: 'anonymous' })
    throw error
  }
}

/** Visitors do not count: strangers must not use up the organization's own quota. */
function limitOrg({ org_limiter }: Gate, org: CallerOrg): void {
  const wait_seconds = org.is_visitor ? 0 : org_limiter.take(org)
  if (wait_seconds === 0) return
  const { name, quotas } = org
  throw overQuota(
    `Organization '${name}' is over its quota of ${quotas.requests_per_second} requests per second; slow down`,
    wait_seconds,
  )
}

export function dispatch({ contract, handler }: Operation, validators: Validators, deps: Deps, clock: Clock) {
  return keepPlace(async (request, reply) => {
    validators.params(request.params)
    request.query = toNeutralInput(contract.id, request.query).values
    validators.query(request.query)
    const { body, large_body, client_words, files, attachments } = await readBody(
      request,
      contract,
      validators,
      deps.evidence,
    )
    const idempotency_key = readIdempotencyKey(request)
    const receipt = makeReceipt(request, idempotency_key)
    const values = {
      params: request.params,
      query: request.query,
      body,
      large_body,
      files,
      attachments,
      caller: request.known.caller,
      org: request.known.org,
      now: clock.now(),
      request_id: request.id,
      receipt,
      address: request.known.address,
      client_words,
      operation_id: contract.id,
      idempotency_key,
      last_event_id: readLastEventId(request),
      recheck: request.known.recheck,
      url: deps.base_url + getPath(request),
    }
    const result = await checkNamedInput(deps.db, request.known, contract, { query: request.query, body })
      .then(() =>
        handler(values as Parameters<typeof handler>[0], chooseDatabase(deps, contract, request.known)),
      )
      .catch(error => {
        throw stripPartPrefix(error, request, contract)
      })
      .finally(() => discardStaged(attachments, request))
    reply.headers(await buildLogHeaders(receipt, request, deps))
    return sendResult(reply, result, contract)
  })
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** The work goes on when the client disconnects, and so does what it keeps in memory. */
function keepPlace(handle: Handle): Handle {
  return async (request, reply) => {
    const { place } = request
    place?.stay()
    try {
      return await handle(request, reply)
    } finally {
      place?.leave()
    }
  }
}

function chooseDatabase(deps: Deps, { reads }: Contract, { guard }: Known): Deps {
  if (guard) return { ...deps, db: guardTransactions(deps.db, guard) }
  return reads === 'replica' && deps.reader ? { ...deps, db: deps.reader } : deps
}

function readLastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' ? id : undefined
}

async function readBody(
  request: FastifyRequest,
  contract: Contract,
  validators: Validators,
  evidence: EvidenceStore,
): Promise<FormBody & { large_body?: Uint8Array; client_words: ClientWords }> {
  if (request.isMultipart()) {
    const { form } = contract
    if (!form)
      throw unsupportedMediaType('This operation does not accept a multipart body; send application/json')
    const read = await readForm(request, form, {
      checkJson: body => validators.body(body, `${form.json_part}.`),
      stage: (name, content) => {
        const { org } = request.known
        assert(org, 'evidence belongs to an org')
        return evidence.stage(org.org_id, name, content)
      },
    })
    return { ...read, client_words: new Map() }
  }
  if (request.body instanceof LargeBody) {
    const { bytes: large_body } = request.body
    return { body: undefined, large_body, client_words: new Map(), files: {}, attachments: [] }
  }
  const { values, client_words } = toNeutralInput(contract.id, request.body)
  request.body = values
  if (contract.method !== 'GET') validators.body(request.body, '')
  return { body: values, client_words, files: {}, attachments: [] }
}

/** Handlers prefix a field with the name of the form part; plain JSON requests have no parts. */
function stripPartPrefix(error: unknown, request: FastifyRequest, { form }: Contract): unknown {
  if (!(error instanceof AppError) || !error.errors || !form || request.isMultipart()) return error
  const prefix = `${form.json_part}.`
  const named = Object.entries(error.errors).map(([field, sentence]) => [
    field.startsWith(prefix) ? field.slice(prefix.length) : field,
    sentence,
  ])
  return new AppError(error.status, error.message, Object.fromEntries(named), error.headers)
}

/** Does not affect files that the handler kept. */
async function discardStaged(attachments: readonly AttachedFile[], request: FastifyRequest): Promise<void> {
  try {
    await Promise.all(attachments.map(file => file.discard()))
  } catch (error) {
    // The response is still valid: leftover files are removed a day later.
    request.log.warn({ err: error, request_id: request.id }, 'a staged file could not be removed')
  }
}

function makeReceipt({ known }: FastifyRequest, key: string | undefined): LeafReceipt {
  if (key === undefined || !known.caller) return { leaves: [] }
  return { leaves: [], idempotency: { caller_id: known.caller.id, key } }
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || (typeof key === 'string' && IDEMPOTENCY_KEY.test(key))) return key
  throw invalid({ 'Idempotency-Key': 'Input should be 1 to 255 visible ASCII characters' })
}

export function getPath(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? request.url
}
