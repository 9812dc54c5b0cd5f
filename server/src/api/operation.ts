// An operation is data plus a handler. The router, the validation, the OpenAPI document, the role table and the
// for-every-operation tests all read the same list (operations.ts), so what is declared here is what happens.
import type { Readable } from 'node:stream'
import { type Static, type TSchema, Type } from 'typebox'
import type { Database, Db } from '../db/database.ts'
import type { KeyScope } from '../domain/key-scope.ts'
import type { OrgCreation } from '../domain/org-creation.ts'
import type { Quotas } from '../domain/quotas.ts'
import type { Role } from '../domain/roles.ts'
import type { InstallationSso, SignInMethod } from '../domain/single-sign-on.ts'
import type { EgressAllow } from '../egress/allow.ts'
import type { EventKind } from '../events/kinds.ts'
import type { EvidenceStore, StagedEvidence } from '../evidence/evidence.ts'
import type { JqEngine } from '../jq/engine.ts'
import type { CiTokens } from '../keyless/ci-tokens.ts'
import type { Ids } from '../lib/ids.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { Secrets } from '../lib/secrets.ts'
import type { SessionLimits } from '../lib/session-token.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { OrgSettings } from './orgs/store.ts'

/**
 * `public`: no credentials. `caller`: any valid credential. `user`: a person, by key or session. A role: a member of the
 * path's org with that role.
 */
export type Access = 'public' | 'caller' | 'user' | Role

/** What an organization can have switched off. */
export type Feature = 'controls'

export interface Caller {
  /** Who is recorded as the author of what the request changes. */
  readonly name: string
  readonly kind: 'user' | 'service_account' | 'ci_job' | 'anonymous'
  /** By what they were recognised. */
  readonly credential: 'key' | 'session' | 'none'
  readonly id: string
  readonly key_id: string
  /** How the session was made; null with a key. */
  readonly session_method: SignInMethod | null
  readonly default_org_name: string | null
  /** What the credential is good for, whatever the role. */
  readonly scope: KeyScope
  /** Addresses and CIDRs that the key may be used from; null for any. */
  readonly allowed_addresses: readonly string[] | null
  /** Of the key that was sent; null for a session, and for a key that never expires. */
  readonly key_expires_at: Date | null
  readonly key_created_at: Date | null
}

/** The org of the path, as the caller sees it. */
export interface CallerOrg {
  readonly org_id: string
  readonly name: string
  readonly role: Role
  readonly features: Readonly<Record<string, boolean>>
  readonly settings: Readonly<OrgSettings>
  readonly quotas: Readonly<Quotas>
  /** No member: reads the public flows of an org that has `public_read`, and nothing else of it. */
  readonly is_visitor?: true
}

export interface FormContract {
  /** The part that carries the JSON body; `application/json` is accepted as well. */
  json_part: string
  /** Leaving it out means an empty object. */
  json_is_optional?: true
  /** The optional file parts, by name. */
  file_parts: readonly string[]
  /** The optional file part that becomes evidence: it goes to the store while it arrives, never into memory. */
  evidence_part?: string
}

export type MediaType =
  | 'application/octet-stream'
  | 'application/gzip'
  | 'application/json'
  | 'application/pdf'
  | 'application/yaml'
  | 'text/csv'

export interface Contract {
  id: string
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  /** `{name}` is one segment; `{name+}`, only at the end, is the rest of the path with its slashes. */
  path: string
  tag: string
  summary: string
  description?: string
  access: Access
  /** What keys that are limited to some operations must be good for. Left out: reading, or administering. */
  family?: 'report' | 'attest'
  /** The kind of event a successful call records, or why it records none. */
  audit: EventKind | readonly EventKind[] | 'none: reads' | 'none: computes' | 'none: own settings'
  params?: TSchema
  query?: TSchema
  body?: TSchema
  form?: FormContract
  returns: TSchema
  /** The media type of an operation that answers a `Download`; where there are several, the download says which. */
  download?: MediaType | readonly MediaType[]
  /** Headers of a success that say more than its body does; declared in http/openapi-info.ts. */
  answer_headers?: readonly string[]
  /** The success statuses besides 200. */
  creates?: true
  /** What a 202 says, where the request may have to wait for a second person. */
  waits?: TSchema
  fails: readonly number[]
  max_body_bytes?: number
  /** A body and a query that succeed: shown in the document and sent by the tests. */
  example?: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown }
  /** Answers 403 in an organization that does not have it. */
  feature?: Feature
  /** May still change; said in the document and in the `Waybill-Beta` header. */
  beta?: true
  /** Readable without a key where a public flow is: the path has its name, or the answer is only about such flows. */
  visitors?: true
  /** A public operation that is not counted with the rest of the traffic without a key. */
  limited_as?: 'exchange'
  /** Since when it should not be used any more; said in the document and in the `Deprecation` header (RFC 9745). */
  deprecated?: { since: Date }
}

type Part<S> = S extends TSchema ? Static<S> : undefined

export interface OperationRequest<C extends Contract> {
  readonly params: Part<C['params']>
  readonly query: Part<C['query']>
  readonly body: Part<C['body']>
  readonly files: Readonly<Record<string, Buffer | undefined>>
  /** What came in the evidence part; gone after the request unless the handler keeps it. */
  readonly attachment: StagedEvidence | undefined
  readonly caller: C['access'] extends 'public' ? undefined : Caller
  readonly org: C['access'] extends Role ? CallerOrg : undefined
  readonly now: Date
  readonly request_id: string
  /** Where the request comes from. */
  readonly address: string
  /** The client's own word for each word of ours that it spelled otherwise. */
  readonly client_words: ReadonlyMap<string, string>
  readonly operation_id: string
  /** The name a caller gave the request, so that a retry of it is known as one. */
  readonly idempotency_key: string | undefined
  /** The request's own absolute address without its query, for `_links`. */
  readonly url: string
}

export interface Deps {
  readonly db: Database
  readonly ids: Ids
  readonly evidence: EvidenceStore
  readonly jq: JqEngine
  readonly secrets: Secrets
  readonly sealer: Sealer
  readonly mailer: Mailer
  readonly ciTokens: CiTokens
  /** What messages may be sent to although it is not public. */
  readonly egressAllow: EgressAllow
  /** The texts of all TXT records of a name; undefined when no name server answers. */
  readTxt(name: string): Promise<string[] | undefined>
  /** JSON in a file part: the same gate as for bodies; errors are keyed by `field`. */
  parseJson(bytes: Buffer, field: string): unknown
  readonly base_url: string
  /** What the operator says of signing in. */
  readonly sso: InstallationSso
  readonly session_limits: SessionLimits
  readonly region: string | undefined
  readonly org_creation: OrgCreation
  /** How many requests of its present second's worth an organization has used; null without a quota. */
  countRequestsUsed(org: Pick<CallerOrg, 'org_id' | 'quotas'>): number | null
  readonly version: string
  /** Forget what is cached about a caller whose rights or settings changed. */
  forgetCaller(caller_id: string): void
}

/** A file instead of JSON: always saved, never shown, whatever it holds. */
export class Download {
  readonly name: string
  readonly bytes: number | undefined
  readonly content: Readable
  /** Where the operation has several. */
  readonly type: MediaType | undefined
  constructor(name: string, content: Readable, bytes?: number, type?: MediaType) {
    this.name = name
    this.content = content
    this.bytes = bytes
    this.type = type
  }
}

/** The answer of an operation that has a `download`. */
export const Binary = Type.Unsafe<Download>({ type: 'string', format: 'binary', title: 'Binary' })

/**
 * An object whose one long list is made and sent in portions: neither the list nor its text is ever whole in memory, and
 * others have their turn in between.
 */
export class Streamed<T, Item> {
  readonly head: Partial<T>
  readonly list: keyof T & string
  readonly items: Iterable<Item>
  constructor(head: Partial<T>, list: keyof T & string, items: Iterable<Item>) {
    this.head = head
    this.list = list
    this.items = items
  }
}

/** What a handler answers when the status is not 200, or when headers say more than the body. */
export class Answer<T> {
  readonly status: 200 | 201
  readonly body: T
  readonly headers: Record<string, string>
  constructor(status: 200 | 201, body: T, headers: Record<string, string> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** Accepted, and waiting for somebody else: 202 with what it waits for, in the shape that the contract's `waits` says. */
export class Accepted {
  readonly body: unknown
  constructor(body: unknown) {
    this.body = body
  }
}

export type Handler<C extends Contract> = (
  request: OperationRequest<C>,
  deps: Deps,
) => Promise<
  Static<C['returns']> | Answer<Static<C['returns']>> | Streamed<Static<C['returns']>, unknown> | Accepted
>

export interface Operation {
  readonly contract: Contract
  readonly handler: Handler<Contract>
}

export function defineOperation<const C extends Contract>(contract: C, handler: Handler<C>): Operation {
  return { contract, handler: handler as unknown as Handler<Contract> }
}

export type { Db }
