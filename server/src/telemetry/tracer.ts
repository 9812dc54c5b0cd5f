// Makes spans. The current span follows the work through AsyncLocalStorage. A span that has ended is no longer
// current, so loops and caches that began in a request do not add to it later.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Span, SpanAttributes, SpanStart, Tracer } from '../lib/tracing.ts'
import type { Sampler } from '../settings/telemetry.ts'
import { decideSampling } from './sampling.ts'
import { parseTraceparent, type RemoteParent } from './traceparent.ts'

/** A request with more statements than this shows only the first ones. */
const MOST_PER_TRACE = 1_000
const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8

/** The form in which a span reaches the collector. */
export interface EndedSpan extends SpanStart {
  trace_id: string
  span_id: string
  parent_span_id: string | undefined
  links: readonly Pick<Span, 'trace_id' | 'span_id'>[]
  start_unix_ms: number
  end_unix_ms: number
  attributes: SpanAttributes
  failure: string | undefined
}

export interface TracerParts {
  clock: Clock
  random: Random
  randomHex(bytes: number): string
  sampler: Sampler
  onEnded(span: EndedSpan): void
}

/** State shared by the spans of one trace in this process. */
interface Trace {
  trace_id: string
  is_sampled: boolean
  /** The machine's clock when the trace began; later times are measured from there. */
  origin_unix_ms: number
  origin_ms: number
  spans: number
}

interface LocalSpan extends Span {
  trace: Trace
}

export function makeTracer(parts: TracerParts): Tracer {
  const { clock, random, randomHex, sampler } = parts
  const current = new AsyncLocalStorage<LocalSpan>()

  function beginTrace(caller: RemoteParent | undefined): Trace {
    return {
      trace_id: caller?.trace_id ?? randomHex(TRACE_ID_BYTES),
      is_sampled: decideSampling(sampler, caller, random),
      origin_unix_ms: clock.now().getTime(),
      origin_ms: clock.monotonic_ms(),
      spans: 0,
    }
  }

  function getCurrent(): LocalSpan | undefined {
    const span = current.getStore()
    return span?.hasEnded() ? undefined : span
  }

  return {
    startRequest: (start, traceparent) => {
      const caller = parseTraceparent(traceparent)
      return makeSpan(parts, beginTrace(caller), { ...start, parent_span_id: caller?.span_id, links: [] })
    },
    start: (start, links = []) => {
      const parent = getCurrent()
      const opening = { ...start, parent_span_id: parent?.span_id, links }
      return makeSpan(parts, parent?.trace ?? beginTrace(undefined), opening)
    },
    runIn: (span, work) => current.run(span as LocalSpan, work),
    getCurrent,
  }
}

type Opening = SpanStart & Pick<EndedSpan, 'parent_span_id' | 'links'>

function makeSpan({ clock, randomHex, onEnded }: TracerParts, trace: Trace, opening: Opening): LocalSpan {
  const { trace_id } = trace
  const span_id = randomHex(SPAN_ID_BYTES)
  const is_sampled = trace.is_sampled && trace.spans < MOST_PER_TRACE
  trace.spans += 1
  const getTime = () => trace.origin_unix_ms + clock.monotonic_ms() - trace.origin_ms
  const start_unix_ms = getTime()
  let attributes = opening.attributes ?? {}
  let failure: string | undefined
  let has_ended = false
  return {
    trace,
    trace_id,
    span_id,
    is_sampled,
    hasEnded: () => has_ended,
    set: more => {
      attributes = { ...attributes, ...more }
    },
    fail: type => {
      failure = type
    },
    end: () => {
      if (has_ended) return
      has_ended = true
      if (!is_sampled) return
      const end_unix_ms = getTime()
      onEnded({ ...opening, trace_id, span_id, start_unix_ms, end_unix_ms, attributes, failure })
    },
  }
}
