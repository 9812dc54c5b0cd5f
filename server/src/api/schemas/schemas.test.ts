// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their expressions in ${{ }}
// Compares the published schemas with the parsers: both must accept the same documents, as far as a schema can express
// it. A schema cannot check that names differ, the text of expressions, and which controls exist.
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { parsePolicy } from '../../domain/policy/parse.ts'
import { parseTemplate } from '../../domain/template/parse.ts'

const POLICY_PATH = '/schemas/environment-policy/v1'
const TEMPLATE_PATH = '/schemas/flow-template/v1'
const DOMAIN = new URL('../../domain/', import.meta.url)

let app: TestApp
let isPolicy: ValidateFunction
let isTemplate: ValidateFunction
beforeAll(async () => {
  app = await startTestApp()
  isPolicy = await compileSchema(POLICY_PATH)
  isTemplate = await compileSchema(TEMPLATE_PATH)
})
afterAll(() => app.stop())

/** Strict, so an unknown keyword in the schema fails the test. */
async function compileSchema(path: string): Promise<ValidateFunction> {
  const { body } = await app.anonymous.get(path)
  return new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(body)
}

describe.each([POLICY_PATH, TEMPLATE_PATH])('GET %s', path => {
  it('200: is a public JSON Schema whose id is its own URL', async () => {
    const { status, body, headers } = await app.anonymous.get(path)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(body.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(body.$id).toBe(`${BASE_URL}/api/v2${path}`)
  })

  it('400: accepts no query', async () => {
    expect((await app.anonymous.get(`${path}?x=1`)).status).toBe(400)
  })
})

/** YAML 1.1, like the parsers: an unquoted `yes` is a boolean. */
const toYaml = (document: unknown) => stringify(document, { version: '1.1' })

const readCases = <T>(folder: string): [string, T][] => {
  const url = new URL(`${folder}/cases/`, DOMAIN)
  return readdirSync(url).map(file => [file, parse(readFileSync(new URL(file, url), 'utf8')) as T])
}

describe('every golden case of the parsers', () => {
  it.each(readCases<{ policy: string }>('policy'))('is a valid policy: %s', (_, { policy }) => {
    const yaml = `_schema: ${BASE_URL}/api/v2${POLICY_PATH}\n${policy}`
    expect(parsePolicy(yaml).ok).toBe(true)
    expect(isPolicy(parse(yaml)), JSON.stringify(isPolicy.errors)).toBe(true)
  })

  it.each(readCases<{ template: string }>('trail'))('is a valid template: %s', (_, { template }) => {
    expect(parseTemplate(template).ok).toBe(true)
    expect(isTemplate(parse(template)), JSON.stringify(isTemplate.errors)).toBe(true)
  })
})

const buildPolicy = (rules: object | null | undefined, more: object = {}) => ({
  _schema: 'https://x.example/v1',
  artifacts: rules,
  ...more,
})
const buildRule = (rule: object) => buildPolicy({ attestations: [rule] })

describe('refused by both', () => {
  it.each<[string, unknown]>([
    ['nothing', null],
    ['no schema', { artifacts: {} }],
    ['another version', { _schema: 'https://x.example/v2' }],
    ['v1 in the middle', { _schema: 'https://x.example/v1/y' }],
    ['v1 in the query', { _schema: 'https://x.example/y?/v1' }],
    ['no address', { _schema: 'v1' }],
    ['an unknown key', buildPolicy({}, { name: 'x' })],
    ['an unknown key in artifacts', buildPolicy({ trail_compliance: {} })],
    ['a requirement that is not an object', buildPolicy({ provenance: true })],
    ['a requirement that is not a boolean', buildPolicy({ provenance: { required: 'yes' } })],
    ['an exception without a condition', buildPolicy({ provenance: { exceptions: [{}] } })],
    ['an exception that is not an expression', buildPolicy({ provenance: { exceptions: [{ if: 'true' }] } })],
    ['101 exceptions', buildPolicy({ provenance: { exceptions: Array(101).fill({ if: '${{ true }}' }) } })],
    ['rules that are not a list', buildPolicy({ attestations: {} })],
    ['1,001 rules', buildPolicy({ attestations: Array(1001).fill({ type: 'junit' }) })],
    ['a rule without a type', buildRule({ name: 'a' })],
    ['an unknown type', buildRule({ type: 'unit-tests' })],
    ['an unknown type of the service', buildRule({ type: 'system:horoscope' })],
    ['any name and any type', buildRule({ type: '*' })],
    ['a bad name', buildRule({ type: 'junit', name: 'a.b' })],
    ['a name that is null', buildRule({ type: 'junit', name: null })],
    ['a control without a decision', buildRule({ type: 'junit', for_control: 'C-1' })],
    ['a control that is a number', buildRule({ type: 'decision', for_control: 1 })],
    ['an unknown key in a rule', buildRule({ type: 'junit', required: true })],
    ['a verdict that is not a boolean', buildRule({ type: 'junit', must_be_compliant: 1 })],
  ])('a policy with %s', (_, document) => {
    expect(parsePolicy(toYaml(document)).ok).toBe(false)
    expect(isPolicy(document)).toBe(false)
  })

  it.each<[string, unknown]>([
    ['nothing', null],
    ['no version', {}],
    ['another version', { version: 2 }],
    ['a version in quotes', { version: '1' }],
    ['an unknown key', { version: 1, artifacts: [] }],
    ['a trail that is a list', { version: 1, trail: [] }],
    ['attestations that are null', { version: 1, trail: { attestations: null } }],
    ['an attestation without a type', { version: 1, trail: { attestations: [{ name: 'a' }] } }],
    ['an attestation without a name', { version: 1, trail: { attestations: [{ type: 'junit' }] } }],
    ['an empty name', { version: 1, trail: { attestations: [{ name: '', type: 'junit' }] } }],
    ['an unknown type', { version: 1, trail: { attestations: [{ name: 'a', type: 'not-supported' }] } }],
    [
      'a custom type without a name',
      { version: 1, trail: { attestations: [{ name: 'a', type: 'custom:' }] } },
    ],
    ['an artifact without a name', { version: 1, trail: { artifacts: [{}] } }],
    ['an artifact with a dot', { version: 1, trail: { artifacts: [{ name: 'a.b' }] } }],
    ['an unknown key of an artifact', { version: 1, trail: { artifacts: [{ name: 'a', type: 'x' }] } }],
  ])('a template with %s', (_, document) => {
    expect(parseTemplate(toYaml(document)).ok).toBe(false)
    expect(isTemplate(document)).toBe(false)
  })
})

describe('any document', () => {
  const types = [
    'junit',
    'sbom',
    'system:sbom',
    'decision',
    'system:decision',
    'custom:x',
    '*',
    'horoscope',
    1,
    null,
  ]
  const maybe = <T>(value: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 9, arbitrary: value }, fc.constantFrom(null, 1, 'x'))
  const record = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) =>
    fc.oneof({ weight: 19, arbitrary: fc.record(fields, { requiredKeys }) }, fc.constantFrom(null, [], 'x'))
  const condition = fc.constantFrom<unknown>('${{ flow.name == "a" }}', ' ${{ true }}\n', 'true', null, 1)

  /** Makes names unique, because a schema cannot check that. */
  const buildList = (item: fc.Arbitrary<unknown>) =>
    maybe(fc.array(item, { maxLength: 3 }).map(items => items.map(renameItem)))
  const renameItem = (item: unknown, place: number) =>
    typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string'
      ? { ...item, name: item.name === '*' ? '*' : item.name + place }
      : item

  it('is a policy for both or for neither', () => {
    const requirement = record(
      {
        required: fc.constantFrom<unknown>(true, false, null, 'yes'),
        exceptions: buildList(record({ if: condition, unless: condition }, [])),
      },
      [],
    )
    const rule = record(
      {
        type: fc.constantFrom(...types),
        name: fc.constantFrom<unknown>('a', '*', 'a.b', null),
        if: condition,
        must_be_compliant: fc.constantFrom<unknown>(true, false, null),
        for_control: fc.constantFrom<unknown>('C-1', null, 1),
      },
      ['type'],
    )
    const artifacts = record(
      { provenance: requirement, 'trail-compliance': requirement, attestations: buildList(rule) },
      [],
    )
    const policy = record(
      { _schema: fc.constantFrom('https://x.example/v1', 'x:/v1', 'https://x/v1?a#b'), artifacts },
      ['_schema'],
    )
    fc.assert(
      fc.property(policy, document => {
        const { ok } = parsePolicy(toYaml(document))
        expect(isPolicy(document), JSON.stringify(document)).toBe(ok)
      }),
      { numRuns: 1_500 },
    )
  })

  it('is a template for both or for neither', () => {
    const attestation = record(
      { name: fc.constantFrom<unknown>('a', '', 'a.b', null), type: fc.constantFrom(...types) },
      ['name', 'type'],
    )
    const attestations = buildList(attestation)
    const artifact = record({ name: fc.constantFrom<unknown>('a', 'a,b', 1), attestations }, ['name'])
    const trail = record({ attestations, artifacts: buildList(artifact) }, [])
    const template = record({ version: fc.constantFrom<unknown>(1, 1, 1, 2, '1'), trail }, ['version'])
    fc.assert(
      fc.property(template, document => {
        const { ok } = parseTemplate(toYaml(document))
        expect(isTemplate(document), JSON.stringify(document)).toBe(ok)
      }),
      { numRuns: 1_500 },
    )
  })
})
