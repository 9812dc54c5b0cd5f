// The log: JSON lines on stderr. Fields that could contain a secret are always redacted. With OpenTelemetry, each line has
// the ids of the trace in which it was written, and is copied.
import { pino } from 'pino'

const SECRET_FIELDS = ['authorization', 'cookie', 'password', 'secret', 'key', 'token', 'connectionString']

const LEVELS = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' } as const

export interface LogCopy {
  /** The ids of the current span. */
  getIds(): Record<'trace_id' | 'span_id', string> | undefined
  add(severity: (typeof LEVELS)[keyof typeof LEVELS], line: string): void
}

export function makeLog(level: string, copy?: LogCopy) {
  const stderr = pino.destination({ fd: 2, sync: true })
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_FIELDS.flatMap(field => [field, `*.${field}`, `*.*.${field}`]),
        censor: '[secret]',
      },
      ...(copy ? { mixin: () => copy.getIds() ?? {} } : {}),
    },
    copy ? makeCopyingStream(stderr, copy) : stderr,
  )
}

/** The library tells a stream with this property the level of each line. */
const METADATA = Symbol.for('pino.metadata')

function makeCopyingStream(stderr: { write(line: string): unknown }, copy: LogCopy) {
  return {
    [METADATA]: true,
    lastLevel: 30,
    write(line: string): void {
      stderr.write(line)
      copy.add(LEVELS[this.lastLevel as keyof typeof LEVELS], line)
    },
  }
}

export type Log = ReturnType<typeof makeLog>
