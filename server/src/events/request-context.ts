// The part of a request that every event needs.
import type { CallerFacts } from './insert-store.ts'
import type { LeafReceipt } from './leaf-receipt.ts'

/** Recorded as the actor of automatic actions. */
export const SYSTEM_ACTOR = 'waybill'

export interface RequestContext {
  readonly org: { readonly org_id: string }
  /** Waybill itself and the admin program have only a name. */
  readonly caller: { readonly name: string } & Partial<Readonly<CallerFacts>>
  readonly now: Date
  readonly request_id: string
  readonly receipt?: LeafReceipt | undefined
}

/** Who caused an event, and when. Not part of what a request stores as JSON. */
export class EventAuthor {
  readonly actor: string
  readonly caller: CallerFacts | undefined
  readonly now: Date
  readonly request_id: string
  readonly receipt: LeafReceipt | undefined

  constructor({ caller, now, request_id, receipt }: Omit<RequestContext, 'org'>) {
    this.actor = caller.name
    this.caller = toFacts(caller)
    this.now = now
    this.request_id = request_id
    this.receipt = receipt
  }

  toJSON(): undefined {
    return undefined
  }
}

function toFacts({ kind, id, credential, key_id }: RequestContext['caller']): CallerFacts | undefined {
  if (kind === undefined || id === undefined || credential === undefined || key_id === undefined)
    return undefined
  return { kind, id, credential, key_id }
}
