// The audit sinks in the settings: how they are read, and which mistakes stop the start.
import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
const read = (...sinks: unknown[]) => readConfig({ WAYBILL_AUDIT_SINKS: JSON.stringify(sinks) }).audit_sinks

function readRefusal(value: string): string {
  try {
    readConfig({ WAYBILL_AUDIT_SINKS: value })
  } catch (error) {
    return (error as Error).message
  }
  return 'not refused'
}

describe('audit sinks', () => {
  it('are read with their defaults', () => {
    expect(
      read(
        { name: 'a', kind: 'webhook', url: 'https://x/y', secret: SECRET },
        { name: 'b', kind: 'otlp', url: 'http://otel:4318/', format: 'ocsf' },
        { name: 'c', kind: 'syslog', url: 'tls://siem.example' },
        { name: 'd', kind: 's3', url: 's3://bucket/prefix' },
      ),
    ).toEqual([
      { name: 'a', kind: 'webhook', url: 'https://x/y', secret: SECRET, format: 'native' },
      { name: 'b', kind: 'otlp', url: 'http://otel:4318', headers: {}, format: 'ocsf' },
      { name: 'c', kind: 'syslog', host: 'siem.example', port: 6514, format: 'native' },
      {
        name: 'd',
        kind: 's3',
        url: 's3://bucket/prefix',
        format: 'native',
        access_key_id: undefined,
        secret_access_key: undefined,
      },
    ])
  })
})

describe('refused', () => {
  const entry = (fields: object) =>
    JSON.stringify([{ name: 'a', kind: 'webhook', url: 'https://x', ...fields }])
  it.each([
    ['{', ' must be a JSON list'],
    ['{}', ' must be a JSON list'],
    ['[1]', ': entry 1 must be an object'],
    [entry({ name: 'A B' }), ': entry 1 needs a name of small letters, digits and hyphens'],
    [entry({ kind: 'kafka' }), ': entry 1 needs a kind: webhook, otlp, syslog, s3'],
    [entry({ kind: 'toString' }), ': entry 1 needs a kind: webhook, otlp, syslog, s3'],
    [entry({ format: 'cef' }), ': entry 1 needs one of these formats: native, ocsf'],
    [entry({ url: 7 }), ': entry 1 needs the text url'],
    [entry({ url: 'ftp://x' }), ': entry 1 needs a url that begins with https:// or http://'],
    [entry({ url: 'https://u:p@x' }), ': entry 1 needs a url that begins with https:// or http://'],
    [entry({ hunter: 2 }), ': entry 1 has the unknown field hunter'],
    [
      entry({ secret: 'hunter2' }),
      ': entry 1 needs a secret of the form whsec_ and 24 to 64 bytes in base64',
    ],
    [
      entry({ kind: 'otlp', url: 'https://x?y' }),
      ': entry 1 needs a url that begins with https:// or http://, without a query',
    ],
    [entry({ kind: 'otlp', headers: ['x'] }), ': entry 1 needs headers as an object of texts'],
    [entry({ kind: 'otlp', headers: { 'a b': '1' } }), ': entry 1 has a header that cannot be sent: "a b"'],
    [entry({ kind: 'otlp', headers: { a: '1\n2' } }), ': entry 1 has a header that cannot be sent: "a"'],
    [entry({ kind: 'syslog' }), ': entry 1 needs a url such as tls://siem.example:6514'],
    [entry({ kind: 'syslog', url: 'tls://x/y' }), ': entry 1 needs a url such as tls://siem.example:6514'],
    [entry({ kind: 's3' }), ': entry 1 needs a url such as s3://bucket/prefix?region=eu-west-1'],
    [entry({ kind: 's3', url: 's3://b', access_key_id: 1 }), ': entry 1 needs access_key_id as a text'],
    [`[${entry({}).slice(1, -1)},${entry({}).slice(1, -1)}]`, ': two sinks have the name a'],
  ])('%s', (value, sentence) => {
    expect(readRefusal(value)).toBe(`WAYBILL_AUDIT_SINKS${sentence}`)
  })

  it('without the value in the message', () => {
    expect(readRefusal('[{"secret":"hunter2')).not.toContain('hunter2')
    expect(readRefusal(entry({ secret: 'hunter2' }))).not.toContain('hunter2')
  })
})
