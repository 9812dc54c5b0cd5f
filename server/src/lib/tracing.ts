// The rest of the service's interface to tracing. Without OpenTelemetry settings there is no tracer, and nothing here
// has an effect. `telemetry/` makes tracers.

export type SpanAttributes = Readonly<Record<string, string | number | undefined>>

export interface SpanStart {
  /** One of a fixed set of names: never with a name, an id or an address of a caller in it. */
  name: string
  kind: 'internal' | 'server' | 'client'
  attributes?: SpanAttributes
}

export interface Span {
  readonly trace_id: string
  readonly span_id: string
  /** Whether the span is exported. Other spans only give log lines their ids. */
  readonly is_sampled: boolean
  hasEnded(): boolean
  set(attributes: SpanAttributes): void
  /** `type` is a status or a code, never a message: messages contain user input. */
  fail(type: string): void
  end(): void
}

export interface Tracer {
  /** Begins a trace, or continues the caller's. */
  startRequest(start: SpanStart, traceparent: string | string[] | undefined): Span
  /** Begins a child of the current span, or a trace if there is none. */
  start(start: SpanStart, links?: readonly Span[]): Span
  /** The span is current in everything that `work` does. */
  runIn<T>(span: Span, work: () => T): T
  /** Undefined in work that outlives the span in which it was started. */
  getCurrent(): Span | undefined
}

export async function trace<T>(
  tracer: Tracer | undefined,
  start: SpanStart,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (!tracer) return work(undefined)
  return finishIn(tracer, tracer.start(start), work)
}

/** Ends the span when the work has ended. */
export async function finishIn<T>(tracer: Tracer, span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await tracer.runIn(span, () => work(span))
  } catch (error) {
    span.fail(getErrorType(error))
    throw error
  } finally {
    span.end()
  }
}

/** The code of a database or system error, or the name of the class. */
export function getErrorType(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  if (typeof code === 'string') return code
  return error instanceof Error ? error.constructor.name : 'unknown'
}
