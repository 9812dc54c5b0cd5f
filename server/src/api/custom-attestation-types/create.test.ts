import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'

const NAME_PATTERN = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$`
const SCHEMA = { type: 'object', required: ['coverage'], properties: { coverage: { type: 'number' } } }
const RULES = ['.coverage >= 80', '.coverage <= 100']
const SUMMARY = [
  { name: 'Coverage', expression: '.coverage' },
  { name: 'Report', expression: '.url' },
]

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const post = (data: object, schema?: string) =>
  app.member.form('POST', '/custom-attestation-types/acme', {
    data_json: JSON.stringify(data),
    ...(schema === undefined ? {} : { type_schema: makeFile(schema) }),
  })
const read = async (name: string) => (await app.reader.get(`/custom-attestation-types/acme/${name}`)).body
const listNumbers = async (name: string) =>
  (await read(name)).versions.map(({ version }: { version: number }) => version)
const listEventsAbout = async (kind: string, type_name: string) =>
  (await app.readEvents(kind)).filter(event => event.data.type_name === type_name).map(({ data }) => data)

async function readStored() {
  const [row] = await app.sql(`select (select count(*)::int from custom_attestation_types) as types,
    (select count(*)::int from custom_attestation_type_versions) as versions,
    (select count(*)::int from events) as events`)
  return row
}

describe('201', () => {
  it('creates a type with schema, rules and summary', async () => {
    const evaluator = { content_type: 'jq', rules: RULES }
    const data = { name: 'coverage', description: 'Of lines', evaluator, summary: SUMMARY }
    const { status, body } = await post(data, JSON.stringify(SCHEMA, null, 2))
    expect(status).toBe(201)
    expect(body).toBe('OK')
    const now = app.clock.now().getTime() / 1000
    expect(await read('coverage')).toEqual({
      name: 'coverage',
      org: 'acme',
      description: 'Of lines',
      archived: false,
      created_by: 'max',
      created_at: now,
      last_modified_at: now,
      versions: [
        { version: 1, timestamp: now, type_schema: SCHEMA, evaluator, summary: SUMMARY, created_by: 'max' },
      ],
    })
    expect(await app.readEvents('custom_type_created')).toEqual([
      { kind: 'custom_type_created', actor: 'max', data: { type_name: 'coverage', version: 1 } },
    ])
  })

  it('creates a type with only a name', async () => {
    expect((await post({ name: 'bare' })).status).toBe(201)
    const type = await read('bare')
    expect(type).not.toHaveProperty('description')
    expect(type.versions).toMatchObject([
      { version: 1, type_schema: null, evaluator: { content_type: 'default' }, summary: null },
    ])
  })

  it.each<[string, object, string | undefined]>([
    ['a schema alone', {}, '{}'],
    ['rules alone', { evaluator: { content_type: 'jq', rules: ['.a'] } }, undefined],
    ['a summary alone', { summary: [{ name: 'A', expression: '.a' }] }, undefined],
    ['a default evaluator', { evaluator: { content_type: 'default' } }, '{"type":"object"}'],
    ['an empty list of rules', { evaluator: { content_type: 'jq', rules: [] } }, undefined],
  ])('accepts %s', async (what, data, schema) => {
    const name = what.replaceAll(' ', '-')
    expect((await post({ name, ...data }, schema)).status).toBe(201)
    expect(await listNumbers(name)).toEqual([1])
  })

  it('accepts JSON with the schema as a property', async () => {
    const sent = { name: 'as-json', type_schema: SCHEMA, evaluator: { content_type: 'jq', rules: RULES } }
    expect((await app.member.post('/custom-attestation-types/acme', sent)).status).toBe(201)
    expect((await read('as-json')).versions[0]).toMatchObject({ type_schema: SCHEMA })
  })

  it('makes a new version when schema, rules or summary change, newest first', async () => {
    const makeEvaluator = (text: string) => ({ content_type: 'jq', rules: [text] })
    await post({ name: 'growing', description: 'kept', evaluator: makeEvaluator('.a') })
    app.clock.advance(1000)
    await post({ name: 'growing', evaluator: makeEvaluator('.b') })
    await post({ name: 'growing', evaluator: makeEvaluator('.b'), summary: SUMMARY })
    await post({ name: 'growing', evaluator: makeEvaluator('.b'), summary: SUMMARY }, JSON.stringify(SCHEMA))
    const type = await read('growing')
    expect(type.description).toBe('kept')
    expect(type.last_modified_at - type.created_at).toBe(1)
    expect(type.versions).toMatchObject([
      { version: 4, type_schema: SCHEMA, evaluator: makeEvaluator('.b'), summary: SUMMARY },
      { version: 3, type_schema: null, evaluator: makeEvaluator('.b'), summary: SUMMARY },
      { version: 2, type_schema: null, evaluator: makeEvaluator('.b'), summary: null },
      { version: 1, type_schema: null, evaluator: makeEvaluator('.a'), summary: null },
    ])
    expect(await listEventsAbout('custom_type_updated', 'growing')).toEqual([
      { type_name: 'growing', version: 2, changes: ['rules'], revived: false },
      { type_name: 'growing', version: 3, changes: ['summary'], revived: false },
      { type_name: 'growing', version: 4, changes: ['type_schema'], revived: false },
    ])
  })

  it('replaces all three: omitting one removes it', async () => {
    const evaluator = { content_type: 'jq', rules: RULES }
    await post({ name: 'emptied', evaluator, summary: SUMMARY }, JSON.stringify(SCHEMA))
    await post({ name: 'emptied' })
    expect((await read('emptied')).versions[0]).toMatchObject({
      version: 2,
      type_schema: null,
      evaluator: { content_type: 'default' },
      summary: null,
    })
  })

  it('stores nothing when nothing changes', async () => {
    const data = { name: 'same', description: 'same', evaluator: { content_type: 'jq', rules: RULES } }
    await post(data, '{"type":"object","required":["a"]}')
    const before = { rows: await readStored(), type: await read('same') }
    app.clock.advance(1000)
    expect((await post(data, '{"required":["a"],"type":"object"}')).status).toBe(201)
    expect({ rows: await readStored(), type: await read('same') }).toEqual(before)
  })

  it('changes the description without a new version', async () => {
    await post({ name: 'described', description: 'first' })
    await post({ name: 'described', description: '' })
    expect(await read('described')).toMatchObject({ description: '', versions: [{ version: 1 }] })
    expect(await listEventsAbout('custom_type_updated', 'described')).toEqual([
      { type_name: 'described', version: 1, changes: ['description'], revived: false },
    ])
  })

  it('unarchives a type with its versions', async () => {
    await post({ name: 'back', evaluator: { content_type: 'jq', rules: ['.a'] } })
    await app.member.put('/custom-attestation-types/acme/back/archive', null)
    expect((await post({ name: 'back', evaluator: { content_type: 'jq', rules: ['.a'] } })).status).toBe(201)
    expect(await read('back')).toMatchObject({ archived: false, versions: [{ version: 1 }] })
    await app.member.put('/custom-attestation-types/acme/back/archive', null)
    await post({ name: 'back', evaluator: { content_type: 'jq', rules: ['.b'] } })
    expect(await listNumbers('back')).toEqual([2, 1])
    expect(await listEventsAbout('custom_type_updated', 'back')).toEqual([
      { type_name: 'back', version: 1, changes: [], revived: true },
      { type_name: 'back', version: 2, changes: ['rules'], revived: true },
    ])
  })

  it('creates once, and one version, when identical requests race', async () => {
    const data = { name: 'raced', evaluator: { content_type: 'jq', rules: RULES } }
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(data)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(await listNumbers('raced')).toEqual([1])
    expect(await listEventsAbout('custom_type_created', 'raced')).toHaveLength(1)
    expect(await listEventsAbout('custom_type_updated', 'raced')).toHaveLength(0)
  })

  it('numbers the versions without a gap when different requests race', async () => {
    await post({ name: 'crowded' })
    const race = [1, 2, 3, 4, 5, 6].map(n =>
      post({ name: 'crowded', evaluator: { content_type: 'jq', rules: [`.a > ${n}`] } }),
    )
    for (const { status } of await Promise.all(race)) expect(status).toBe(201)
    expect(await listNumbers('crowded')).toEqual([7, 6, 5, 4, 3, 2, 1])
  })
})

describe('400', () => {
  const makeRules = (...rules: string[]) => ({ content_type: 'jq', rules })
  const refused: [string, object, string | undefined, Record<string, unknown>][] = [
    [
      'an illegal name',
      { name: 'my type' },
      undefined,
      { 'data_json.name': `String should match pattern '${NAME_PATTERN}' [input: my type]` },
    ],
    ['no name', {}, undefined, { 'data_json.name': 'Field required [input: None]' }],
    [
      'an unknown kind of evaluator',
      { name: 'ok', evaluator: { content_type: 'rego', rules: [] } },
      undefined,
      { 'data_json.evaluator.content_type': "Input should be 'jq' or 'default' [input: rego]" },
    ],
    [
      'rules without jq',
      { name: 'ok', evaluator: { content_type: 'default', rules: ['.a'] } },
      undefined,
      { 'data_json.evaluator.rules': "Rules need the content type 'jq'" },
    ],
    [
      'rules that do not compile, each by its place',
      { name: 'ok', evaluator: makeRules('.a', '.[', 'nothing', '-n', 'import "x" as x; .') },
      undefined,
      {
        'data_json.evaluator.rules[1]':
          'Input should be a valid jq program: syntax error, unexpected end of file at line 1, column 2 [input: .[]',
        'data_json.evaluator.rules[2]':
          'Input should be a valid jq program: nothing/0 is not defined at line 1, column 1 [input: nothing]',
        'data_json.evaluator.rules[3]':
          "Input should be a valid jq program: begins with '-'; put it in parentheses [input: -n]",
        'data_json.evaluator.rules[4]': expect.stringContaining('module not found'),
      },
    ],
    [
      'an empty rule',
      { name: 'ok', evaluator: makeRules('') },
      undefined,
      { 'data_json.evaluator.rules[0]': 'String should have at least 1 character [input: ]' },
    ],
    [
      'a rule that uses all the memory to compile',
      { name: 'ok', evaluator: makeRules('"x" * 1e9') },
      undefined,
      { 'data_json.evaluator.rules[0]': expect.stringContaining('needs more memory than allowed') },
    ],
    [
      'a summary without name and expression',
      { name: 'ok', summary: [{ name: '', expression: '' }] },
      undefined,
      {
        'data_json.summary[0].name': 'String should have at least 1 character [input: ]',
        'data_json.summary[0].expression': 'String should have at least 1 character [input: ]',
      },
    ],
    [
      'a summary that does not compile',
      { name: 'ok', summary: [SUMMARY[0], { name: 'B', expression: '.b |' }] },
      undefined,
      { 'data_json.summary[1].expression': expect.stringContaining('syntax error') },
    ],
    [
      'a schema that is not JSON',
      { name: 'ok' },
      '{"type":',
      { type_schema: expect.stringContaining('not valid JSON') },
    ],
    ['an empty schema file', { name: 'ok' }, '', { type_schema: expect.stringContaining('not valid JSON') }],
    [
      'a schema with the same key twice',
      { name: 'ok' },
      '{"type":"object","type":"array"}',
      { type_schema: 'An object has the same key twice' },
    ],
    [
      'a schema that is a list',
      { name: 'ok' },
      '[]',
      { type_schema: 'Input should be a valid dictionary [input: []]' },
    ],
    [
      'an invalid schema',
      { name: 'ok' },
      '{"type":"thing"}',
      {
        type_schema: expect.stringMatching(
          /^Input should be a valid JSON Schema: .*type must be equal to one of/,
        ),
      },
    ],
    [
      'a schema that refers to the network',
      { name: 'ok' },
      '{"$ref":"http://127.0.0.1/x"}',
      { type_schema: expect.stringContaining("can't resolve reference http://127.0.0.1/x") },
    ],
    [
      'a schema and rules, both wrong',
      { name: 'ok', evaluator: makeRules('(') },
      '{"type":"thing"}',
      {
        type_schema: expect.stringContaining('JSON Schema'),
        'data_json.evaluator.rules[0]': expect.stringContaining('syntax error'),
      },
    ],
    [
      'a schema twice',
      { name: 'ok', type_schema: {} },
      '{}',
      { type_schema: 'Send the schema once: as a file or in the JSON' },
    ],
  ]
  it.each(refused)('refuses %s and stores nothing', async (_, data, schema, errors) => {
    const before = await readStored()
    const { status, body } = await post(data, schema)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors })
    expect(await readStored()).toEqual(before)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s and stores nothing', async role => {
    const before = await readStored()
    const { status } = await app[role].post('/custom-attestation-types/acme', { name: 'not-mine' })
    expect(status).toBe(403)
    expect(await readStored()).toEqual(before)
  })
})
