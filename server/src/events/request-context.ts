// The part of a request that every event needs.
import type { CallerFacts } from './insert-store.ts'
import type { LeafReceipt } from './leaf-receipt.ts'

export interface RequestContext {
  readonly org: { readonly org_id: string }
  /** Only the name for Waybill itself and for the admin program. */
  readonly caller: { readonly name: string } & Partial<Readonly<CallerFacts>>
  readonly now: Date
  readonly request_id: string
  readonly receipt?: LeafReceipt | undefined
}

/** Who caused an event, and when. */
export function toEventSource({ caller, now, request_id, receipt }: Omit<RequestContext, 'org'>) {
  return { actor: caller.name, caller: toFacts(caller), now, request_id, receipt }
}

function toFacts({ kind, id, credential, key_id }: RequestContext['caller']): CallerFacts | undefined {
  if (kind === undefined || id === undefined || credential === undefined || key_id === undefined) return undefined
  return { kind, id, credential, key_id }
}
