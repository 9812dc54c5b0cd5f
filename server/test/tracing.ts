// Tracing for test applications: every request is traced, and the spans are recorded in the order in which they
// ended.
import type { StatementObserver } from '../src/db/database.ts'
import { makeRandomHex } from '../src/lib/random.ts'
import type { Tracer } from '../src/lib/tracing.ts'
import { watchStatements } from '../src/telemetry/statements.ts'
import { type EndedSpan, makeTracer } from '../src/telemetry/tracer.ts'
import { BEGINNING_MS } from './seed.ts'
import { statementObserver } from './statement-log.ts'

export interface Tracing {
  tracer: Tracer
  observer: StatementObserver
  spans: EndedSpan[]
}

export function makeTracing(): Tracing {
  const spans: EndedSpan[] = []
  const tracer = makeTracer({
    clock: { now: () => new Date(BEGINNING_MS), monotonic_ms: () => 0 },
    random: () => 0,
    randomHex: makeRandomHex(),
    sampler: { ratio: 1, asks_caller: false },
    onEnded: span => spans.push(span),
  })
  return { tracer, observer: { ...watchStatements(tracer), ...statementObserver }, spans }
}
