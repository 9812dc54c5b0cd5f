// One span for each statement of a request or a delivery, with its name and number of rows, never its text or values.
// PostgreSQL responds to statements sent together all at once, so they have the same times.
import type { StatementObserver } from '../db/database.ts'
import { getErrorType, type Tracer } from '../lib/tracing.ts'

export function watchStatements(tracer: Tracer): StatementObserver {
  return {
    onStatement: () => undefined,
    onWait: () => undefined,
    watchPacket: names => {
      // Loops look for work all day long; only the work is of interest.
      if (!tracer.getCurrent()?.is_sampled) return undefined
      const spans = names.map(name =>
        tracer.start({
          name,
          kind: 'client',
          attributes: {
            'db.system.name': 'postgresql',
            'db.query.summary': name,
            'db.operation.batch.size': names.length > 1 ? names.length : undefined,
          },
        }),
      )
      return {
        onRows: rows => {
          for (const [i, span] of spans.entries()) {
            span.set({ 'db.response.returned_rows': rows[i] })
            span.end()
          }
        },
        onError: error => {
          const type = getErrorType(error)
          for (const span of spans) {
            span.fail(type)
            span.end()
          }
        },
      }
    },
  }
}
