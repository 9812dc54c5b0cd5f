// Every request that the Terraform provider sends in the lifecycle of each resource: created, read back, changed,
// found unchanged, destroyed, and created again under the archived name.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp, type TestResponse } from './harness.ts'

const AGENT = { 'user-agent': 'terraform-provider-kosli/0.6.3' }
const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n'
const POLICY =
  '_schema: https://docs.kosli.com/schemas/policy/v1\nartifacts:\n  provenance:\n    required: true\n'
const WEBHOOK = 'https://hooks.example.com/in/T0K3N'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

/** Sends no content type without a body. */
const ask = (method: string, path: string, body?: unknown) => app.admin.call(method, path, body, AGENT)

async function send(
  method: string,
  path: string,
  parts: Record<string, string | Blob>,
): Promise<TestResponse> {
  const encoded = new Response(buildForm(parts))
  const payload = Buffer.from(await encoded.arrayBuffer())
  const content_type = encoded.headers.get('content-type') ?? ''
  return app.admin.call(method, path, payload, { ...AGENT, 'content-type': content_type })
}

function buildForm(parts: Record<string, string | Blob>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, 'file.yml')
  }
  return form
}

/** Expects any successful status. */
async function readOk(answer: Promise<TestResponse>): Promise<TestResponse['body']> {
  const { status, body, text } = await answer
  expect(status, text).toBeGreaterThanOrEqual(200)
  expect(status, text).toBeLessThan(300)
  return body
}

/** The provider checks the status; its user reads the message. */
async function expectGone(path: string, sentence: string): Promise<void> {
  const { status, body } = await ask('GET', path)
  expect({ status, message: body.message }).toEqual({ status: 404, message: sentence })
}

describe('environment', () => {
  const name = 'tf-production'
  const path = `/environments/acme/${name}`
  const create = (changes = {}) =>
    ask('PUT', '/environments/acme', {
      name,
      type: 'K8S',
      description: 'Where it counts',
      include_scaling: false,
      included_environments: null,
      policies: null,
      ...changes,
    })

  it('is created with nulls for unset fields, and read back', async () => {
    await readOk(create())
    expect(await readOk(ask('GET', path))).toMatchObject({
      org: 'acme',
      name,
      type: 'K8S',
      description: 'Where it counts',
      last_modified_at: expect.any(Number),
      last_reported_at: null,
      state: null,
      include_scaling: false,
      require_provenance: false,
      tags: {},
      policies: [],
    })
    expect(await readOk(ask('GET', '/environments/acme'))).toEqual([expect.objectContaining({ name })])
  })

  it('loses its description and changes its scaling by PATCH, and nothing else', async () => {
    await readOk(ask('PATCH', path, { description: '', include_scaling: true }))
    const changed = await readOk(ask('GET', path))
    expect(changed).toMatchObject({ description: '', include_scaling: true, type: 'K8S' })
  })

  it('accepts tag changes, even when one side is null', async () => {
    const tag = (body: unknown) => readOk(ask('PATCH', `/tags/acme/environment/${name}`, body))
    await tag({ set_tags: { team: 'payments', tier: '1' }, remove_tags: null })
    await tag({ set_tags: null, remove_tags: ['tier'] })
    await tag({ set_tags: {}, remove_tags: [] })
    expect((await readOk(ask('GET', path))).tags).toEqual({ team: 'payments' })
  })

  it('keeps the written type, with the name that the provider uses', async () => {
    await readOk(create({ name: 'tf-apps', type: 'azure-apps' }))
    expect(await readOk(ask('GET', '/environments/acme/tf-apps'))).toMatchObject({
      type: 'azure-apps',
    })
  })

  it('is archived without a body, is then shown as archived, and is restored when it is created again', async () => {
    await readOk(ask('PUT', `${path}/archive`))
    await expectGone(path, `Environment named '${name}' has been archived for organization 'acme'`)
    await readOk(create({ description: 'Again' }))
    expect(await readOk(ask('GET', path))).toMatchObject({ name, description: 'Again' })
  })

  it('that never existed is missing in the same way', async () => {
    await expectGone(
      '/environments/acme/never',
      "Environment named 'never' does not exist for organization 'acme'",
    )
  })
})

describe('logical environment', () => {
  const path = '/environments/acme/tf-all'
  const physical = { type: 'server', description: '', included_environments: null, policies: null }

  it('is created, changes its members, and can have none', async () => {
    for (const name of ['tf-blue', 'tf-green']) {
      await readOk(ask('PUT', '/environments/acme', { name, include_scaling: false, ...physical }))
    }
    const included_environments = ['tf-green', 'tf-blue']
    await readOk(
      ask('PUT', '/environments/acme', {
        name: 'tf-all',
        type: 'logical',
        description: 'Both',
        include_scaling: false,
        included_environments,
        policies: null,
      }),
    )
    const members = async () => (await readOk(ask('GET', path))).included_environments
    expect(await members()).toEqual(included_environments)
    await readOk(ask('PATCH', path, { description: 'One', included_environments: ['tf-blue'] }))
    expect(await members()).toEqual(['tf-blue'])
    await readOk(ask('PATCH', path, { included_environments: [] }))
    expect(await members()).toEqual([])
  })

  it('cannot include itself or an unknown environment', async () => {
    const include = (name: string) => ask('PATCH', path, { included_environments: [name] })
    expect((await include('tf-all')).status).toBe(400)
    expect((await include('never')).status).toBe(404)
  })
})

describe('flow', () => {
  const path = '/flows/acme/tf-flow'
  const create = (description: string, template?: string) =>
    send('PUT', '/flows/acme/template_file', {
      data_json: JSON.stringify({ name: 'tf-flow', description, visibility: 'private' }),
      ...(template === undefined ? {} : { template_file: makeFile(template) }),
    })

  it('is created without a template, then gets one, and returns the text as written', async () => {
    await readOk(create('First'))
    expect(await readOk(ask('GET', path))).toMatchObject({
      name: 'tf-flow',
      description: 'First',
      visibility: 'private',
      template: expect.stringContaining('version: 1'),
      tags: {},
    })
    await readOk(create('', TEMPLATE))
    expect(await readOk(ask('GET', path))).toMatchObject({ description: '', template: TEMPLATE })
    expect(await readOk(ask('GET', '/flows/acme'))).toEqual([expect.objectContaining({ name: 'tf-flow' })])
  })

  it('is tagged, archived and created again', async () => {
    await readOk(ask('PATCH', '/tags/acme/flow/tf-flow', { set_tags: { team: 'a' }, remove_tags: [] }))
    expect((await readOk(ask('GET', path))).tags).toEqual({ team: 'a' })
    await readOk(ask('PUT', `${path}/archive`))
    await expectGone(path, "Flow named 'tf-flow' has been archived for organization 'acme'")
    await readOk(create('Again', TEMPLATE))
    await readOk(ask('GET', path))
  })
})

describe('policy and its attachment', () => {
  const path = '/environments/acme/tf-blue/policies'
  const create = (comment: string, content: string) =>
    send('PUT', '/policies/acme', {
      payload: JSON.stringify({ name: 'tf-policy', description: 'Known', type: 'env', comment }),
      policy_file: makeFile(content),
    })
  const attached = async () => (await readOk(ask('GET', '/environments/acme/tf-blue'))).policies

  it('gets a version for each new content, and the highest has the text as written', async () => {
    await readOk(create('first', POLICY))
    await readOk(create('second', `${POLICY}  trail-compliance:\n    required: true\n`))
    const policy = await readOk(ask('GET', '/policies/acme/tf-policy'))
    expect(policy).toMatchObject({ name: 'tf-policy', description: 'Known', created_at: expect.any(Number) })
    expect(policy.versions).toMatchObject([
      { version: 1, policy_yaml: POLICY, created_by: 'ada', timestamp: expect.any(Number) },
      { version: 2, policy_yaml: expect.stringContaining('trail-compliance') },
    ])
    expect(await readOk(ask('GET', '/policies/acme'))).toHaveLength(1)
  })

  it('can be attached twice and detached twice without an error', async () => {
    const names = { policy_names: ['tf-policy'] }
    await readOk(ask('POST', path, names))
    await readOk(ask('POST', path, names))
    expect(await attached()).toEqual(['tf-policy'])
    await readOk(ask('DELETE', path, names))
    await readOk(ask('DELETE', path, names))
    expect(await attached()).toEqual([])
  })

  it('that does not exist cannot be attached', async () => {
    expect((await ask('POST', path, { policy_names: ['never'] })).status).toBe(404)
  })
})

describe('custom attestation type', () => {
  const path = '/custom-attestation-types/acme/tf-coverage'
  const SCHEMA = { type: 'object', properties: { lines: { type: 'number' } }, required: ['lines'] }
  const create = (rules: string[], schema?: unknown) =>
    send('POST', '/custom-attestation-types/acme', {
      data_json: JSON.stringify({
        name: 'tf-coverage',
        description: '',
        ...(rules.length === 0 ? {} : { evaluator: { content_type: 'jq', rules } }),
      }),
      ...(schema === undefined ? {} : { type_schema: makeFile(JSON.stringify(schema)) }),
    })

  it('is created with exactly 201, and the newest version comes first', async () => {
    expect((await create([])).status).toBe(201)
    expect((await create(['.lines > 80'], SCHEMA)).status).toBe(201)
    const type = await readOk(ask('GET', path))
    expect(type).toMatchObject({ name: 'tf-coverage', org: 'acme', archived: false })
    expect(type.versions[0]).toMatchObject({
      version: 2,
      type_schema: SCHEMA,
      evaluator: { content_type: 'jq', rules: ['.lines > 80'] },
    })
    expect(await readOk(ask('GET', `${path}?version=1`))).toMatchObject({ versions: [{ version: 1 }] })
  })

  it('is archived, and created again with exactly 201', async () => {
    await readOk(ask('PUT', `${path}/archive`))
    expect(await readOk(ask('GET', path))).toMatchObject({ archived: true })
    expect((await create([])).status).toBe(201)
    expect(await readOk(ask('GET', path))).toMatchObject({ archived: false })
  })
})

describe('action', () => {
  const path = '/organizations/acme/environments_notifications'
  const action = {
    name: 'tf-red',
    type: 'env',
    environments: ['tf-blue'],
    triggers: ['ON_NON_COMPLIANT_ENV', 'ON_SCALED_ARTIFACT'],
    targets: [{ type: 'WEBHOOK', webhook: WEBHOOK, payload_version: '1.0' }],
  }
  const findNumber = async (name: string) => {
    const all: { name: string; number: number }[] = await readOk(ask('GET', path))
    return all.find(one => one.name === name)?.number
  }

  it('is created, found by its name in the list, changed in place, and deleted', async () => {
    await readOk(ask('PUT', path, action))
    const number = await findNumber('tf-red')
    expect(await readOk(ask('GET', `${path}/${number}`))).toMatchObject({
      ...action,
      number,
      created_by: 'ada',
      created_at: expect.any(Number),
      last_modified_at: expect.any(Number),
      is_failing: false,
      is_created_from_slack_app: false,
    })
    await readOk(ask('PUT', `${path}/${number}`, { ...action, triggers: ['ON_COMPLIANT_ENV'] }))
    expect(await findNumber('tf-red')).toBe(number)
    expect(await readOk(ask('GET', `${path}/${number}`))).toMatchObject({
      triggers: ['ON_COMPLIANT_ENV'],
    })
    await readOk(ask('DELETE', `${path}/${number}`))
    expect((await ask('GET', `${path}/${number}`)).status).toBe(404)
    expect((await ask('DELETE', `${path}/${number}`)).status).toBe(404)
  })
})

describe('notification configuration', () => {
  const path = '/notification-config/acme/api_key_expiry'

  it('is empty at first, returns what was written with the names that the provider uses, and is empty at the end', async () => {
    expect(await readOk(ask('GET', path))).toMatchObject({ scope: null, targets: [], detection: {} })
    const targets = [
      { type: 'EMAIL', emails: ['ops@example.com'] },
      { type: 'SLACK', webhook: 'https://chat.example.com/hook' },
      { type: 'WEBHOOK', webhook: WEBHOOK, payload_version: '1.0' },
    ]
    expect(await readOk(ask('PUT', path, { targets }))).toMatchObject({ targets })
    expect(await readOk(ask('GET', path))).toMatchObject({ targets })
    await readOk(ask('DELETE', path))
    expect(await readOk(ask('GET', path))).toMatchObject({ targets: [] })
  })
})

describe('service account and its key', () => {
  const path = '/service-accounts/acme/tf-robot'

  it('is created, changed, and loses its description with null', async () => {
    const body = { name: 'tf-robot', description: 'Reports', privilege: 'member' }
    expect(await readOk(ask('POST', '/service-accounts/acme', body))).toMatchObject(body)
    await readOk(ask('PATCH', path, { description: 'Reads', privilege: 'reader' }))
    expect(await readOk(ask('GET', path))).toMatchObject({ description: 'Reads', privilege: 'reader' })
    expect(await readOk(ask('PATCH', path, { description: null, privilege: 'reader' }))).toMatchObject({
      name: 'tf-robot',
      description: '',
      privilege: 'reader',
    })
  })

  it('has a key that is shown once and can be revoked', async () => {
    const made = await readOk(ask('POST', `${path}/api-keys`, { description: 'ci' }))
    expect(made).toMatchObject({
      id: expect.any(String),
      key: expect.any(String),
      expires_at: expect.any(Number),
    })
    const read = await readOk(ask('GET', `${path}/api-keys/${made.id}`))
    expect(read).toMatchObject({ id: made.id, description: 'ci', last_used_at: 0 })
    expect(read).not.toHaveProperty('key')
    await readOk(ask('DELETE', `${path}/api-keys/${made.id}`))
    expect((await ask('GET', `${path}/api-keys/${made.id}`)).status).toBe(404)
    await readOk(ask('DELETE', path))
    expect((await ask('GET', path)).status).toBe(404)
  })
})

describe('control', () => {
  const path = '/controls/acme/TF-1'
  const create = () =>
    ask('POST', '/controls/acme', { identifier: 'TF-1', name: 'Reviewed', description: '' })

  it('is created with an empty description, and a second time is a conflict', async () => {
    expect(await readOk(create())).toMatchObject({
      identifier: 'TF-1',
      name: 'Reviewed',
      links: {},
      version: 1,
      tags: {},
      archived: false,
      policies_referencing: [],
      created_at: expect.any(Number),
      created_by: 'ada',
    })
    expect((await create()).status).toBe(409)
  })

  it('is replaced as a whole, and loses its links with an empty object', async () => {
    const links = { runbook: 'https://example.com/runbook' }
    const name = 'Reviewed twice'
    const replace = (body: unknown) => readOk(ask('PUT', path, body))
    expect(await replace({ name, description: 'By two', links })).toMatchObject({ name, links, version: 2 })
    expect(await replace({ name, description: '', links: {} })).toMatchObject({ links: {} })
  })

  it('is archived without a body and is shown as archived', async () => {
    expect(await readOk(ask('POST', `${path}/archive`))).toMatchObject({ archived: true })
    expect(await readOk(ask('GET', path))).toMatchObject({ archived: true })
    const listed = await readOk(ask('GET', '/controls/acme?per_page=100&search=tf-1&archived=true'))
    expect(listed).toMatchObject({ total_count: 1, controls: [{ identifier: 'TF-1' }] })
    expect((await create()).status).toBe(409)
  })
})

describe('rejected requests', () => {
  it('distinguish a wrong token, a missing permission and another organization, each with a message', async () => {
    const read = (client: TestApp['admin'], org: string) =>
      client.call('GET', `/flows/${org}`, undefined, AGENT)
    expect(await read(app.makeClientWith('wb_user_wrong'), 'acme')).toMatchObject({
      status: 401,
      body: { message: 'The API key is not valid' },
    })
    expect(await read(app.admin, 'other-corp')).toMatchObject({
      status: 403,
      body: { message: 'Access denied to /api/v2/flows/other-corp' },
    })
    const archived = await app.reader.call('PUT', '/flows/acme/tf-flow/archive', undefined, AGENT)
    expect(archived).toMatchObject({ status: 403, body: { message: expect.any(String) } })
    expect(archived.headers['x-request-id']).toEqual(expect.any(String))
  })
})
