import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'

const NAME_PATTERN = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$`
const SCHEMA = '_schema: https://waybill.example/schemas/policy/environment/v1\n'
const YAML = `${SCHEMA}artifacts:\n  provenance:\n    required: true\n`
const OTHER_YAML = `${SCHEMA}artifacts:\n  attestations:\n    - type: junit\n      name: unit\n`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const put = (payload: object, yaml?: string) =>
  app.member.form('PUT', '/policies/acme', {
    payload: JSON.stringify(payload),
    ...(yaml === undefined ? {} : { policy_file: makeFile(yaml) }),
  })
const read = async (name: string) => (await app.reader.get(`/policies/acme/${name}`)).body
const listEventsAbout = async (kind: string, policy_name: string) =>
  (await app.readEvents(kind)).filter(event => event.data.policy_name === policy_name).map(({ data }) => data)

async function readStored() {
  const [row] = await app.sql(`select (select count(*)::int from policies) as policies,
    (select count(*)::int from policy_versions) as versions, (select count(*)::int from events) as events,
    (select md5(string_agg(p::text, '' order by p.policy_id)) from policies p) as content`)
  return row
}

describe('201', () => {
  it('creates a policy with its first version from a form', async () => {
    const payload = { name: 'prod', description: 'For production', comment: 'First', type: 'env' }
    const { status, body } = await put(payload, YAML)
    expect(status).toBe(201)
    expect(body).toBe('OK')
    const now = app.clock.now().getTime() / 1000
    const data = { policy_name: 'prod', version: 1 }
    expect(await read('prod')).toEqual({
      org: 'acme',
      name: 'prod',
      description: 'For production',
      archived: false,
      consuming_envs: [],
      created_by: 'max',
      created_at: now,
      last_modified_at: now,
      events: [{ type: 'policy_created', timestamp: now, user: 'max', data }],
      events_count: 1,
      versions: [{ version: 1, comment: 'First', created_by: 'max', timestamp: now, policy_yaml: YAML }],
      html_url: 'http://waybill.test/acme/policies/prod',
    })
    expect(await app.readEvents('policy_created')).toEqual([{ kind: 'policy_created', actor: 'max', data }])
  })

  it('accepts JSON with only the text and a name', async () => {
    expect((await app.member.put('/policies/acme', { name: 'json', policy_yaml: YAML })).status).toBe(201)
    expect(await read('json')).toMatchObject({
      description: '',
      versions: [{ version: 1, comment: '', policy_yaml: YAML }],
    })
  })

  it('keeps the text as it was sent, with its line ends and comments', async () => {
    const yaml = `# Größe\r\n${SCHEMA.trim()}\r\n`
    expect((await put({ name: 'as-sent' }, yaml)).status).toBe(201)
    expect((await read('as-sent')).versions[0].policy_yaml).toBe(yaml)
  })

  it('is returned once for many concurrent requests, which leave one version', async () => {
    const racing = Array.from({ length: 32 }, () => put({ name: 'raced', description: 'same' }, YAML))
    const statuses = (await Promise.all(racing)).map(({ status }) => status)
    expect(statuses.filter(status => status === 201)).toHaveLength(1)
    expect(statuses.filter(status => status === 200)).toHaveLength(31)
    expect((await read('raced')).versions).toHaveLength(1)
    expect(await listEventsAbout('policy_created', 'raced')).toHaveLength(1)
    expect(await listEventsAbout('policy_updated', 'raced')).toEqual([])
  })

  it('numbers concurrent different texts in sequence', async () => {
    const texts = Array.from({ length: 32 }, (_, i) => `${YAML}# ${i}\n`)
    const answers = await Promise.all(texts.map(yaml => put({ name: 'counted', comment: yaml }, yaml)))
    for (const { status } of answers) expect([200, 201]).toContain(status)
    const { versions } = await read('counted')
    expect(versions.map(({ version }: { version: number }) => version)).toEqual(texts.map((_, i) => i + 1))
    const kept = versions.map(({ policy_yaml }: { policy_yaml: string }) => policy_yaml)
    expect(kept.toSorted()).toEqual(texts.toSorted())
    const recordedVersions = (await read('counted')).events.map(
      ({ data }: { data: { version: number } }) => data.version,
    )
    expect(recordedVersions.toSorted((a: number, b: number) => a - b)).toEqual(texts.map((_, i) => i + 1))
  })
})

describe('200', () => {
  it('adds a version for a new text, oldest first, and keeps an omitted description', async () => {
    await put({ name: 'growing', description: 'kept', comment: 'one' }, YAML)
    app.clock.advance(1000)
    expect((await put({ name: 'growing', comment: 'two' }, OTHER_YAML)).status).toBe(200)
    const policy = await read('growing')
    expect(policy).toMatchObject({
      description: 'kept',
      versions: [
        { version: 1, comment: 'one', policy_yaml: YAML },
        { version: 2, comment: 'two', policy_yaml: OTHER_YAML },
      ],
    })
    expect(policy.last_modified_at - policy.created_at).toBe(1)
    const data = { policy_name: 'growing', version: 2, changes: ['policy_yaml'], revived: false }
    expect(await listEventsAbout('policy_updated', 'growing')).toEqual([data])
    expect(policy.events).toMatchObject([{ type: 'policy_created' }, { type: 'policy_updated', data }])
  })

  it('stores nothing if nothing changes, not even a new comment', async () => {
    await put({ name: 'same', description: 'same' }, YAML)
    const before = await readStored()
    app.clock.advance(1000)
    expect((await put({ name: 'same', comment: 'again' }, YAML)).status).toBe(200)
    expect((await put({ name: 'same', description: 'same' }, YAML)).status).toBe(200)
    expect(await readStored()).toEqual(before)
  })

  it('changes the description without a new version', async () => {
    await put({ name: 'told', description: 'first' }, YAML)
    expect((await put({ name: 'told', description: '' }, YAML)).status).toBe(200)
    expect(await read('told')).toMatchObject({ description: '', versions: [{ version: 1 }] })
    expect(await listEventsAbout('policy_updated', 'told')).toEqual([
      { policy_name: 'told', version: 1, changes: ['description'], revived: false },
    ])
  })

  it('adds a version for a text that an earlier version had', async () => {
    for (const yaml of [YAML, OTHER_YAML, YAML]) await put({ name: 'back' }, yaml)
    expect((await read('back')).versions).toMatchObject([
      { policy_yaml: YAML },
      { policy_yaml: OTHER_YAML },
      { version: 3, policy_yaml: YAML },
    ])
  })

  it('restores an archived policy, with the same version if the text is the same', async () => {
    await put({ name: 'revived' }, YAML)
    await app.admin.put('/policies/acme/revived/archive', null)
    expect((await put({ name: 'revived' }, YAML)).status).toBe(200)
    expect(await read('revived')).toMatchObject({ archived: false, versions: [{ version: 1 }] })
    expect((await listEventsAbout('policy_updated', 'revived')).at(-1)).toEqual({
      policy_name: 'revived',
      version: 1,
      changes: [],
      revived: true,
    })
  })

  it('queues evaluations of the environments it is attached to, only for a new version', async () => {
    await put({ name: 'consumed' }, YAML)
    for (const name of ['one', 'two', 'none']) {
      await app.member.put('/environments/acme', { name, type: 'K8S', description: '' })
    }
    for (const name of ['one', 'two']) {
      await app.member.post(`/environments/acme/${name}/policies`, { policy_names: ['consumed'] })
    }
    const listPending = async () =>
      (
        await app.sql(`select e.name, m.cause, m.actor from pending_judgements m
          join environments e using (org_id, environment_id) order by e.name`)
      ).map(row => Object.values(row))
    await put({ name: 'consumed', description: 'other words' }, YAML)
    expect(await listPending()).toEqual([])
    await put({ name: 'consumed' }, OTHER_YAML)
    expect(await listPending()).toEqual([
      ['one', 'policies', 'max'],
      ['two', 'policies', 'max'],
    ])
  })
})

describe('400', () => {
  it('says where the YAML is wrong', async () => {
    const { status, body } = await put({ name: 'bad' }, `${SCHEMA}artifacts: [1\n`)
    expect(status).toBe(400)
    expect(body.message).toBe('Input payload validation failed')
    expect(body.errors.policy).toMatch(/^line 3, column 1: /)
    expect(body.errors.policy_file).toMatch(/^\d+ validation errors for Policy\n/)
  })

  it('says where an expression is wrong', async () => {
    const rule = `    - type: junit\n      if: \${{ flow.name = "x" }}\n`
    const { status, body } = await put({ name: 'bad' }, `${SCHEMA}artifacts:\n  attestations:\n${rule}`)
    expect(status).toBe(400)
    expect(body.errors['policy.artifacts.attestations[0].if']).toMatch(/^line 5, column 25: /)
  })

  it.each([
    ['empty', ''],
    ['a text', 'hello'],
    ['without a schema', 'artifacts: {}\n'],
    ['of another schema', '_schema: https://waybill.example/v2\n'],
    ['two documents', `${SCHEMA}---\n${SCHEMA}`],
    ['with an unknown key', `${SCHEMA}extra: true\n`],
    ['with a rule for everything', `${SCHEMA}artifacts:\n  attestations:\n    - type: "*"\n`],
    [
      'with a control of no decision',
      `${SCHEMA}artifacts:\n  attestations:\n    - {type: junit, for_control: A}\n`,
    ],
    ['with characters that are not printed', `${SCHEMA}# \u0007\n`],
  ])('refuses a policy that is %s and stores nothing', async (_what, yaml) => {
    await put({ name: 'there', description: 'before' }, YAML)
    const before = await readStored()
    for (const name of ['there', 'not-there']) {
      const { status, body } = await put({ name, description: 'after' }, yaml)
      expect(status).toBe(400)
      expect(body.message).toBe('Input payload validation failed')
      expect(body.errors.policy_file).toMatch(/^\d+ validation errors for Policy\n/)
    }
    expect(await readStored()).toEqual(before)
  })

  it.each([
    ['a NUL in a name', '  attestations:\n    - {type: decision, for_control: "a\\0b"}\n'],
    ['half a character', '  attestations:\n    - {type: decision, for_control: "a\\ud800b"}\n'],
    ['a NUL in an expression', `  provenance:\n    exceptions:\n      - if: "\${{ flow.name == 'a\\0' }}"\n`],
  ])('refuses %s written as an escape', async (_what, artifacts) => {
    const before = await readStored()
    const { status, body } = await put({ name: 'escaped' }, `${SCHEMA}artifacts:\n${artifacts}`)
    expect(status).toBe(400)
    expect(body.errors).toHaveProperty(['policy_file'])
    expect(await readStored()).toEqual(before)
  })

  it('refuses a request without the payload and the file', async () => {
    const parts = { policy_file: makeFile(YAML) }
    const without = await app.member.form('PUT', '/policies/acme', parts)
    expect([without.status, without.body.errors]).toEqual([400, { payload: 'Field required [input: None]' }])
    const { status, body } = await put({ name: 'no-file' })
    expect([status, body.errors]).toEqual([400, { policy_file: 'Field required [input: None]' }])
  })

  it('refuses a file that is not text, and a text that is sent twice', async () => {
    const payload = JSON.stringify({ name: 'bad' })
    const parts = { payload, policy_file: new Blob([new Uint8Array([0x76, 0xff, 0xfe])]) }
    const binary = await app.member.form('PUT', '/policies/acme', parts)
    expect([binary.status, binary.body.errors]).toEqual([400, { policy_file: 'Text is not valid UTF-8' }])
    const twice = await put({ name: 'bad', policy_yaml: YAML }, YAML)
    const sentence = 'Send the policy either as a file or in the JSON, not both'
    expect([twice.status, twice.body.errors]).toEqual([400, { policy_file: sentence }])
  })

  it('names the part in the path of a bad field', async () => {
    const { status, body } = await put({ name: 'my policy', type: 'rego', extra: 1 }, YAML)
    expect(status).toBe(400)
    expect(body.errors).toEqual({
      'payload.name': `String should match pattern '${NAME_PATTERN}' [input: my policy]`,
      'payload.type': "Input should be 'env' [input: rego]",
      'payload.extra': 'Extra inputs are not permitted [input: 1]',
    })
  })

  it('refuses a name that is too long', async () => {
    expect((await put({ name: 'n'.repeat(255) }, YAML)).status).toBe(201)
    expect((await put({ name: 'n'.repeat(256) }, YAML)).status).toBe(400)
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s and stores nothing', async role => {
    const before = await readStored()
    const { status } = await app[role].put('/policies/acme', { name: 'not-mine', policy_yaml: YAML })
    expect(status).toBe(403)
    expect(await readStored()).toEqual(before)
  })
})

describe('413', () => {
  it('refuses a text of more than a mebibyte', async () => {
    const before = await readStored()
    const sentence = 'A policy can have at most 1048576 bytes'
    const { status, body } = await put({ name: 'huge' }, `${YAML}# ${'ä'.repeat(524_288)}\n`)
    expect(status).toBe(413)
    expect(body).toEqual({ message: sentence, errors: { policy_file: sentence } })
    expect(await readStored()).toEqual(before)
  })
})
