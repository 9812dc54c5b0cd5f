// Reads the W3C header that names a caller's trace. Anyone can send one, so only the two ids are used.
// https://www.w3.org/TR/trace-context/

export interface RemoteParent {
  trace_id: string
  span_id: string
  is_sampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NO_VERSION = 'ff'
const ONLY_ZEROS = /^0+$/
/** Later versions may be longer; nobody needs this much. */
const MAX_LENGTH = 256

/** Undefined for anything that is not exactly one valid header. */
export function parseTraceparent(header: string | string[] | undefined): RemoteParent | undefined {
  if (typeof header !== 'string' || header.length > MAX_LENGTH) return undefined
  const [, version, trace_id = '', span_id = '', flags = '', rest] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || version === NO_VERSION) return undefined
  if (version === '00' && rest !== undefined) return undefined
  if (ONLY_ZEROS.test(trace_id) || ONLY_ZEROS.test(span_id)) return undefined
  return { trace_id, span_id, is_sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
