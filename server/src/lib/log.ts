// The log: JSON lines on stderr. Fields that could contain a secret are always redacted.
import { pino } from 'pino'

const SECRET_FIELDS = ['authorization', 'cookie', 'password', 'secret', 'key', 'token', 'connectionString']

export function makeLog(level: string) {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_FIELDS.flatMap(field => [field, `*.${field}`, `*.*.${field}`]),
        censor: '[secret]',
      },
    },
    pino.destination({ fd: 2, sync: true }),
  )
}

export type Log = ReturnType<typeof makeLog>
