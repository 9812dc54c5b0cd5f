// The files in deploy/ that start the service: every setting they name exists, and the chart fits this version. `npm
// run check -- deploy` checks everything that needs Helm, systemd or Go.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../scripts/run/prepare.mjs'
import { readConfig } from '../src/settings/config.ts'
import { SECRET_NAMES, SETTING_NAMES } from '../src/settings/table.ts'
import { EVERY_SETTING } from './every-setting.ts'

const CHART = join(root, 'deploy/helm/waybill')
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8')
const SCHEMA = JSON.parse(read('deploy/helm/waybill/values.schema.json'))
const PLAIN = SETTING_NAMES.filter(name => !SECRET_NAMES.includes(name))
/** The chart sets these from its own values. */
const OF_THE_CHART = [
  ...['HOST', 'NODE_ENV', 'PORT', 'WAYBILL_BASE_URL', 'WAYBILL_DATA_DIR', 'WAYBILL_EVIDENCE_URL'],
  ...['WAYBILL_METRICS_PORT', 'WAYBILL_ROLE', 'WAYBILL_TLS_CERT_FILE', 'WAYBILL_TLS_KEY_FILE'],
]
const NAME = /\b(?:WAYBILL|DATABASE|AWS)_[A-Z_]*[A-Z]\b/g
/** Variables that Compose and Caddy fill in, and that the service does not read. */
const OF_COMPOSE = ['WAYBILL_IMAGE', 'WAYBILL_SITE', 'WAYBILL_UPSTREAM']

const listTemplates = () =>
  readdirSync(join(CHART, 'templates')).map(file => join('deploy/helm/waybill/templates', file))
const listValues = () =>
  readdirSync(join(CHART, 'ci')).map(file => [file, parse(read('deploy/helm/waybill/ci', file))] as const)

function listUnknown(text: string, others: readonly string[] = []): string[] {
  const names = [...text.matchAll(NAME)].map(([name]) => name)
  expect(names).not.toEqual([])
  const known = new Set([...SETTING_NAMES, ...SECRET_NAMES.map(name => `${name}_FILE`), ...others])
  return names.filter(name => !known.has(name))
}

/** Like Helm: merges objects, replaces everything else. */
function merge(values: unknown, given: unknown): unknown {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(values) || !isObject(given)) return given
  const changed = Object.entries(given).map(([key, value]) => [
    key,
    key in values ? merge(values[key], value) : value,
  ])
  return { ...values, ...Object.fromEntries(changed) }
}

describe('the chart', () => {
  it('has the version of the package', () => {
    const { version, appVersion } = parse(read('deploy/helm/waybill/Chart.yaml'))
    const own = JSON.parse(read('package.json')).version
    expect([version, appVersion]).toEqual([own, own])
  })

  it('accepts every plain setting by its name, and no other', () => {
    const expected = PLAIN.filter(name => !OF_THE_CHART.includes(name))
    expect(SCHEMA.properties.settings.propertyNames.enum).toEqual(expected.sort())
  })

  it('takes every secret from an existing Secret, and no other', () => {
    expect(SCHEMA.properties.secrets.propertyNames.enum).toEqual([...SECRET_NAMES].sort())
  })

  it('names only settings that exist', () => {
    const text = [...listTemplates(), 'deploy/helm/waybill/values.yaml'].map(file => read(file)).join('\n')
    expect(listUnknown(text)).toEqual([])
    expect(OF_THE_CHART.filter(name => !text.includes(name) || !(name in EVERY_SETTING))).toEqual([])
  })

  it.each(listValues())('has a schema that accepts %s', (_, given) => {
    const validate = new Ajv({ allErrors: true, strict: false }).compile(SCHEMA)
    validate(merge(parse(read('deploy/helm/waybill/values.yaml')), given))
    expect(validate.errors).toBeNull()
  })

  it('has a golden file for each values file', () => {
    const goldens = readdirSync(join(root, 'deploy/helm/goldens'))
    expect(goldens.sort()).toEqual(
      listValues()
        .map(([file]) => file.replace('-values', ''))
        .sort(),
    )
  })
})

describe('other ways to start it', () => {
  it.each(['deploy/systemd/waybill.service', 'deploy/systemd/waybill.service.d/external-database.conf'])(
    '%s names only settings that exist',
    file => {
      expect(listUnknown(read(file))).toEqual([])
    },
  )

  it('the compose file has settings that the service accepts', () => {
    const { services } = parse(read('deploy/compose/compose.yaml'), { merge: true })
    const { DATABASE_URL_FILE, WAYBILL_SECRET_KEY_FILE, ...plain } = services.waybill.environment
    expect([DATABASE_URL_FILE, WAYBILL_SECRET_KEY_FILE]).toEqual([
      '/run/secrets/database_url',
      '/run/secrets/secret_key',
    ])
    const { DATABASE_URL, WAYBILL_SECRET_KEY } = EVERY_SETTING
    const WAYBILL_BASE_URL = 'https://waybill.example'
    const config = readConfig({ ...plain, WAYBILL_BASE_URL, DATABASE_URL, WAYBILL_SECRET_KEY })
    expect([config.production, config.trusted_proxies.length]).toEqual([true, 1])
    expect(listUnknown(read('deploy/compose/compose.yaml'), OF_COMPOSE)).toEqual([])
    expect(services.waybill.image).toContain(`waybill:${JSON.parse(read('package.json')).version}`)
  })
})
