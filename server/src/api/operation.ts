// The types of an operation: a contract (data) plus a handler. The router, the validation, the OpenAPI document, the
// role table and the tests that walk all operations read the same list (operations.ts), so contracts cannot go stale.
import type { Readable } from 'node:stream'
import type { EgressAllow } from '@waybill/egress'
import type { Policy } from '@waybill/transparency-log'
import { type Static, type TSchema, Type } from 'typebox'
import type { Database } from '../db/database.ts'
import type { EvidenceFile } from '../domain/evidence/files.ts'
import type { KeyScope } from '../domain/key-scope.ts'
import type { OrgCreation, OrgLimit } from '../domain/org-creation.ts'
import type { OrgSettings } from '../domain/org-settings.ts'
import type { Quotas } from '../domain/quotas.ts'
import type { Role } from '../domain/roles.ts'
import type { InstallationSso, SignInMethod } from '../domain/single-sign-on.ts'
import type { CompiledPolicies } from '../evaluation/compiled-policies.ts'
import type { KeptFacts } from '../evaluation/kept-facts.ts'
import type { EventKind } from '../events/kinds.ts'
import type { LeafReceipt } from '../events/leaf-receipt.ts'
import type { EvidenceStore, StagedEvidence } from '../evidence/evidence.ts'
import type { PendingUploads } from '../evidence/pending-uploads.ts'
import type { JqEngine } from '../jq/engine.ts'
import type { CiTokens } from '../keyless/ci-tokens.ts'
import type { Ids } from '../lib/ids.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { Secrets } from '../lib/secrets.ts'
import type { SessionLimits } from '../lib/session-token.ts'
import type { Streams } from '../live/streams.ts'
import type { Logs } from '../log/logs.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Batches } from './batches.ts'
import type { LargeReports } from './large-reports.ts'

/**
 * `public`: no credentials. `caller`: any valid credential. `user`: a person, by key or session. A role: a member of the
 * path's org with that role.
 */
type Access = 'public' | 'caller' | 'user' | Role

/** A feature that an organization can switch off. */
type Feature = 'controls'

export interface Caller {
  /** The name under which events and changes of this request are recorded. */
  readonly name: string
  readonly kind: 'user' | 'service_account' | 'ci_job' | 'anonymous'
  /** How the caller authenticated. */
  readonly credential: 'key' | 'session' | 'none'
  readonly id: string
  readonly key_id: string
  /** How the session was started; null for a key. */
  readonly session_method: SignInMethod | null
  readonly default_org_name: string | null
  /** What the credential may be used for, whatever the role. */
  readonly scope: KeyScope
  /** Addresses and CIDR ranges from which the key may be used; null means any. */
  readonly allowed_addresses: readonly string[] | null
  /** When the key expires; null for a session and for a key that never expires. */
  readonly key_expires_at: Date | null
  readonly key_created_at: Date | null
}

/** An organization, without anyone's role in it. */
export type NamedOrg = Pick<CallerOrg, 'org_id' | 'name'>

/** The organization in the path, with the caller's role in it. */
export interface CallerOrg {
  readonly org_id: string
  readonly name: string
  readonly role: Role
  readonly features: Readonly<Record<string, boolean>>
  readonly settings: Readonly<OrgSettings>
  readonly quotas: Readonly<Quotas>
  /** Who stands behind it: organizations of one sponsor take turns as one. */
  readonly sponsor: string
  /** Set for callers who are not members: they can only read what the org's settings open to everybody. */
  readonly is_visitor?: true
}

export interface FormContract {
  /** The part with the JSON body. A plain `application/json` request is accepted as well. */
  json_part: string
  /** If the JSON part is omitted, the body is an empty object. */
  json_is_optional?: true
  /** Names of the optional file parts. */
  file_parts: readonly string[]
  /**
   * The optional file part that becomes evidence, which may be repeated. Its files are streamed to the evidence store,
   * never held in memory.
   */
  evidence_part?: string
}

/** An uploaded evidence file, staged; deleted after the request unless the handler keeps it. */
export interface AttachedFile extends Pick<StagedEvidence, 'keep' | 'discard'> {
  readonly file: EvidenceFile
}

export type MediaType =
  | 'application/octet-stream'
  | 'application/gzip'
  | 'application/json'
  | 'application/pdf'
  | 'application/yaml'
  | 'image/svg+xml'
  | 'text/csv'
  | 'text/plain'

export interface Contract {
  id: string
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  /** `{name}` matches one segment. `{name+}`, allowed only at the end, matches the rest of the path. */
  path: string
  tag: string
  summary: string
  description?: string
  access: Access
  /** Auditors may call it although it needs a higher role. Only for operations that read. */
  auditors?: true
  /**
   * For operations that change credentials or permissions. The caller is not taken from the auth cache, and every
   * transaction of the handler first reads the caller again, locked: see http/caller-guard.ts.
   */
  recheck_caller?: true
  /** The scope that a restricted key needs. By default `read` if the operation changes nothing, else `administer`. */
  family?: 'report' | 'attest'
  /** The kinds of event that a successful call records, or why it records none. */
  audit: EventKind | readonly EventKind[] | 'none: reads' | 'none: computes' | 'none: own settings'
  /** The event is recorded when the content is complete: too late for a header with its place in the log. */
  audits_at_end?: true
  /** Changes nothing and may be read from a replica, which has every write acknowledged before. */
  reads?: 'replica'
  params?: TSchema
  query?: TSchema
  body?: TSchema
  form?: FormContract
  returns: TSchema
  /** The media type of an operation that returns a `Download`. If there are several, the download names its own. */
  download?: MediaType | readonly MediaType[]
  /**
   * Returns an `EventStream`: the response continues until one side ends it, and the caller is checked again
   * meanwhile.
   */
  streams?: true
  /** Extra headers of successful responses; declared in http/openapi-info.ts. */
  answer_headers?: readonly string[]
  /** Can return 201. */
  creates?: true
  /** The body of a 202, for operations that may have to wait for a second person. */
  waits?: TSchema
  fails: readonly number[]
  max_body_bytes?: number
  /** Longer bodies reach the handler unparsed and unchecked, as `large_body`. */
  large_body_bytes?: number
  /** A request that succeeds: shown in the OpenAPI document and sent by the tests. */
  example?: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown }
  /** The operation returns 403 in an organization that has this feature switched off. */
  feature?: Feature
  /** May still change; marked in the OpenAPI document and with the `Waybill-Beta` header. */
  beta?: true
  /**
   * Readable without a key in an org with this setting. `public_read`: the path names a flow, which must be public, or the
   * response only covers public flows. `public_log`: the log, without the bodies.
   */
  visitors?: 'public_read' | 'public_log'
  /** The rate limit of a public operation that has its own, apart from other anonymous traffic. */
  limited_as?: 'exchange'
  /** Only existing clients know it: every admitted request gets 501 with this sentence. */
  unimplemented?: string
  /** When the operation was deprecated; sent in the OpenAPI document and in the `Deprecation` header (RFC 9745). */
  deprecated?: { since: Date }
}

type Part<S> = S extends TSchema ? Static<S> : undefined

export interface OperationRequest<C extends Contract> {
  readonly params: Part<C['params']>
  readonly query: Part<C['query']>
  readonly body: Part<C['body']>
  /** The bytes of a body that is longer than the contract's `large_body_bytes`; there is no `body` then. */
  readonly large_body: Uint8Array | undefined
  readonly files: Readonly<Record<string, Buffer | undefined>>
  readonly attachments: readonly AttachedFile[]
  readonly caller: C['access'] extends 'public' ? undefined : Caller
  readonly org: C['access'] extends Role ? CallerOrg : undefined
  readonly now: Date
  readonly request_id: string
  /** Gets the log positions of the request's events. */
  readonly receipt: LeafReceipt
  /** The client's IP address. */
  readonly address: string
  /** Our term → the client's own spelling, for each term that the client spelled differently. */
  readonly client_words: ReadonlyMap<string, string>
  readonly operation_id: string
  /** The caller's name for the request, which makes a retry recognizable. */
  readonly idempotency_key: string | undefined
  /** The id of the last event that the reader of a stream has received. */
  readonly last_event_id: string | undefined
  /**
   * Resolves with the caller's role in the org if a request like this one would be admitted now; otherwise rejects.
   */
  readonly recheck: C['streams'] extends true ? () => Promise<Role> : undefined
  /** The absolute URL of the request without its query, for `_links`. */
  readonly url: string
}

export interface Deps {
  readonly db: Database
  /** Reads from the replica, if there is one; for operations whose contract allows it. */
  reader?: Database | undefined
  readonly ids: Ids
  /** Stores concurrent reports together. */
  readonly batches: Batches
  readonly compiled_policies: CompiledPolicies
  readonly kept_facts: KeptFacts
  readonly large_reports: LargeReports
  readonly evidence: EvidenceStore
  readonly pending_uploads: PendingUploads
  readonly logs: Logs
  /** The open streams of changes. */
  readonly streams: Streams
  /** The operator's witness policy; undefined without one. */
  readonly log_policy: Policy | undefined
  readonly jq: JqEngine
  readonly secrets: Secrets
  readonly sealer: Sealer
  readonly mailer: Mailer
  readonly ciTokens: CiTokens
  /** Non-public hosts to which messages may be sent anyway. */
  readonly egressAllow: EgressAllow
  /** All TXT records of a DNS name; undefined when no name server answers. */
  readTxt(name: string): Promise<string[] | undefined>
  /** Parses JSON from a file part with the same checks as for bodies; errors are keyed by `field`. */
  parseJson(bytes: Buffer, field: string): unknown
  readonly base_url: string
  /** The operator's single sign-on settings. */
  readonly sso: InstallationSso
  readonly session_limits: SessionLimits
  readonly region: string | undefined
  readonly org_creation: OrgCreation
  readonly org_limit: OrgLimit
  /** How many requests an organization has used of its quota for the current second; null without a quota. */
  countRequestsUsed(org: Pick<CallerOrg, 'org_id' | 'quotas'>): number | null
  readonly version: string
  /** Drops a caller whose rights or settings changed from the auth cache. */
  forgetCaller(caller_id: string): void
}

/** A file instead of JSON. Browsers always save it and never display it, whatever its content. */
export class Download {
  readonly name: string
  readonly bytes: number | undefined
  readonly content: Readable
  /** Required when the contract lists several media types. */
  readonly type: MediaType | undefined
  /** Whether the content of this address never changes: clients may then keep it. */
  readonly is_immutable: boolean
  constructor(name: string, content: Readable, bytes?: number, type?: MediaType, is_immutable = false) {
    this.name = name
    this.content = content
    this.bytes = bytes
    this.type = type
    this.is_immutable = is_immutable
  }
}

/** A picture that other sites embed. Browsers and proxies may keep it for a short time. */
export class Picture {
  readonly svg: string
  readonly max_age_s: number
  constructor(svg: string, max_age_s: number) {
    this.svg = svg
    this.max_age_s = max_age_s
  }
}

/** The schema of a response that is a `Download` or a `Picture`. */
export const Binary = Type.Unsafe<Download | Picture>({ type: 'string', format: 'binary', title: 'Binary' })

/**
 * An object whose one long list is produced and sent in chunks, so that neither the list nor its JSON is ever
 * completely in memory and other requests run in between.
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

/** Server-sent events, for as long as there are any. */
export class EventStream {
  readonly content: Readable
  constructor(content: Readable) {
    this.content = content
  }
}

/** The schema of a response that is an `EventStream`. */
export const Events = Type.Unsafe<EventStream>({
  type: 'string',
  title: 'EventStream',
  examples: ['id: 1.940\nevent: opened\ndata: {"is_resumed":false,"now":1772539200.5}\n\n'],
})

/** Returned by a handler when the status is not 200, or when the response needs extra headers. */
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

/** The request is waiting for another person: 202, with a body in the shape of the contract's `waits`. */
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
