import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { SECRET } from '../../test/every-setting.ts'
import { readConfig } from './config.ts'
import { SettingProblem } from './setting.ts'
import { SECRET_NAMES } from './table.ts'

const folder = mkdtempSync(join(tmpdir(), 'waybill-secret-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(content: string): string {
  const file = join(folder, 'secret')
  writeFileSync(file, content)
  return file
}

const refuse = (environment: Record<string, string>) => () => readConfig(environment)

describe('secrets in files', () => {
  it('are these settings', () => {
    expect(SECRET_NAMES.toSorted()).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'DATABASE_DIRECT_URL',
      'DATABASE_OWNER_URL',
      'DATABASE_REPLICA_URL',
      'DATABASE_URL',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'WAYBILL_AUDIT_SINKS',
      'WAYBILL_METRICS_TOKEN',
      'WAYBILL_OIDC_CLIENT_SECRET',
      'WAYBILL_OIDC_PROVIDERS',
      'WAYBILL_SECRET_KEY',
      'WAYBILL_SMTP_URL',
    ])
  })

  it.each(['', '\n', '\r\n'])('are read without one line break at the end: %j', end => {
    expect(readConfig({ WAYBILL_SECRET_KEY_FILE: write(SECRET + end) }).secret_key).toBe(SECRET)
  })

  it('keep other spaces, which may be part of the secret', () => {
    expect(readConfig({ WAYBILL_SECRET_KEY_FILE: write(` ${SECRET} \n\n`) }).secret_key).toBe(` ${SECRET} \n`)
  })

  it('are checked as if they were set', () => {
    const environment = { DATABASE_URL_FILE: write('mysql://u:hunter2@db/waybill') }
    expect(refuse(environment)).toThrow('DATABASE_URL must begin with postgres:// or postgresql://')
    expect(refuse(environment)).not.toThrow('hunter2')
  })

  it('count for rules of several settings', () => {
    const production = { NODE_ENV: 'production', DATABASE_URL: 'postgres://db/waybill' }
    expect(refuse(production)).toThrow('WAYBILL_SECRET_KEY is needed')
    expect(readConfig({ ...production, WAYBILL_SECRET_KEY_FILE: write(SECRET) }).secret_key).toBe(SECRET)
  })

  it('are not set when the variable is empty', () => {
    expect(readConfig({ WAYBILL_SECRET_KEY_FILE: '' }).secret_key).toBeUndefined()
  })
})

describe('refused', () => {
  it.each([
    ['a setting that is also set itself', { WAYBILL_SECRET_KEY: SECRET }, 'x', 'not both'],
    ['an empty file', {}, '\n', 'WAYBILL_SECRET_KEY_FILE: the file is empty'],
    ['a file that is no secret', {}, 'x'.repeat(70_000), 'WAYBILL_SECRET_KEY_FILE: the file is too long'],
  ])('%s', (_, more, content, sentence) => {
    expect(refuse({ ...more, WAYBILL_SECRET_KEY_FILE: write(content) })).toThrow(sentence)
  })

  it('a file that cannot be read, by the name of the setting', () => {
    const missing = { WAYBILL_SECRET_KEY_FILE: join(folder, 'missing') }
    expect(refuse(missing)).toThrow(SettingProblem)
    expect(refuse(missing)).toThrow('WAYBILL_SECRET_KEY_FILE: the file cannot be read (ENOENT')
  })

  it('a file for a setting that is no secret', () => {
    expect(refuse({ WAYBILL_ORG_FILE: write('acme') })).toThrow('Unknown setting WAYBILL_ORG_FILE')
  })
})
