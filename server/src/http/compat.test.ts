import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/harness.ts'
import { BRANDED_KEYS, listPaths, toBrandedAnswer, toBrandedItem, toNeutralInput } from './compat.ts'

const CLI = { 'user-agent': 'Kosli/2.11.0' }
const AGENTS = [CLI, { 'user-agent': 'terraform-provider-kosli/0.3.0' }, { 'user-agent': 'curl/8.5.0' }, {}]

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.member.put('/environments/acme', { name: 'apps', type: 'azure-apps', description: 'x' })
  await app.member.put('/environments/acme', { name: 'cluster', type: 'K8S' })
  const tags = { type: 'cloudx-apps' }
  await app.member.patch('/tags/acme/env/apps', { set_tags: tags })
})
afterAll(() => app.stop())

const read = async (path: string, headers = {}) =>
  (await app.reader.call('GET', `/environments/acme${path}`, undefined, headers)).body

describe('the input of branded clients', () => {
  it('is stored in neutral words', async () => {
    expect(await app.sql(`select type from environments where name = 'apps'`)).toEqual([
      { type: 'cloudx-apps' },
    ])
  })

  it('is the same environment in both spellings', async () => {
    const again = { name: 'apps', type: 'cloudx-apps', description: 'x' }
    expect((await app.member.put('/environments/acme', again)).status).toBe(200)
    expect((await app.member.put('/environments/acme', { ...again, type: 'azure-apps' })).status).toBe(200)
    expect((await app.member.put('/environments/acme', { ...again, type: 'azure' })).body.errors).toEqual({
      type: expect.stringContaining('[input: azure]'),
    })
    expect(await read('/apps')).toMatchObject({ neutral_type: 'cloudx-apps', description: 'x' })
  })

  it('is read as the neutral word', async () => {
    for (const type of ['azure-apps', 'cloudx-apps']) {
      const sent = { name: `read-${type}`, type }
      expect((await app.member.call('PUT', '/environments/acme', sent, CLI)).status).toBe(201)
      expect(await read(`/read-${type}`)).toMatchObject({ type, neutral_type: 'cloudx-apps' })
      const reported = await app.snapshotter.call(
        'PUT',
        `/environments/acme/read-${type}/report/${type}`,
        { artifacts: [] },
        CLI,
      )
      expect(reported.status).toBe(200)
      await app.member.put(`/environments/acme/read-${type}/archive`, null)
    }
  })

  it.each(['type=azure-apps', 'type=cloudx-apps', 'type=azure-apps&type=S3'])(
    'filters by %s',
    async query => {
      expect(await read(`?${query}`)).toMatchObject([{ name: 'apps' }])
    },
  )

  it('is left alone where it has no meaning', () => {
    expect(toNeutralInput('putFlow', { type: 'azure-apps' }).values).toEqual({ type: 'azure-apps' })
    expect(toNeutralInput('putEnvironment', { name: 'azure-apps' }).values).toEqual({ name: 'azure-apps' })
    for (const odd of [undefined, null, 'azure-apps', ['azure-apps']]) {
      expect(toNeutralInput('putEnvironment', odd).values).toEqual(odd)
    }
  })

  it('keeps properties that every object has, for validation to reject', () => {
    const sent = JSON.parse('{"type":"azure-apps","__proto__":{"name":"x"}}')
    expect(JSON.stringify(toNeutralInput('putEnvironment', sent).values)).toBe(
      '{"type":"cloudx-apps","__proto__":{"name":"x"}}',
    )
  })
})

describe('the response to clients', () => {
  it('has the word last sent and the neutral one, for every caller', async () => {
    const tags = { type: 'cloudx-apps' }
    const neutral_type = 'cloudx-apps'
    for (const type of ['cloudx-apps', 'azure-apps']) {
      expect((await app.member.put('/environments/acme', { name: 'apps', type })).status).toBe(200)
      const apps = { name: 'apps', type, neutral_type, tags }
      const cluster = { type: 'K8S', neutral_type: 'K8S' }
      for (const headers of AGENTS) {
        expect(await read('/apps', headers)).toMatchObject(apps)
        expect(await read('/cluster', headers)).toMatchObject(cluster)
        expect(await read('?sort=name', headers)).toMatchObject([apps, cluster])
        expect(await read('?page=1', headers)).toMatchObject({
          environments: [apps, cluster],
          total_count: 2,
        })
      }
    }
  })

  it('keeps the word last sent when something else is changed', async () => {
    const read_before = await read('/apps')
    expect((await app.member.patch('/environments/acme/apps', { description: 'y' })).status).toBe(200)
    await app.member.put('/environments/acme/apps/archive', null)
    await app.member.put('/environments/acme/apps/unarchive', null)
    expect(await read('/apps')).toMatchObject({ type: read_before.type, description: 'y' })
    expect(read_before.type).toBe('azure-apps')
  })

  it('has the neutral word in a snapshot, for every caller', async () => {
    await app.member.put('/environments/acme', { name: 'shot', type: 'cloudx-apps' })
    await app.snapshotter.put('/environments/acme/shot/report/cloudx-apps', { artifacts: [] })
    for (const headers of AGENTS) {
      const { body } = await app.reader.call('GET', '/snapshots/acme/shot/-1', undefined, headers)
      expect(body.type).toBe('cloudx-apps')
    }
    await app.member.put('/environments/acme/shot/archive', null)
  })

  it.each([
    ['ECS', { taskArn: 'arn:1', cluster_name: 'c' }, 'container_task_context', 'ecs_context'],
    ['cloud-run', { kind: 'service', serviceName: 's' }, 'serverless_run_context', 'cloud_run_context'],
  ])(
    'has both spellings of the context of a running artifact, of type %s',
    async (type, element, neutral, branded) => {
      await app.member.put('/environments/acme', { name: `of-${type}`, type })
      const artifacts = [{ digests: { 'image:1': 'a'.repeat(64) }, creationTimestamp: 1, ...element }]
      const { status } = await app.snapshotter.put(`/environments/acme/of-${type}/report/${type}`, {
        artifacts,
      })
      expect(status).toBe(200)
      for (const headers of [{}, CLI]) {
        const path = `/snapshots/acme/of-${type}/-1`
        const [shown] = (await app.reader.call('GET', path, undefined, headers)).body.artifacts
        expect(shown[neutral]).toEqual(expect.any(Object))
        expect(shown[branded]).toEqual(shown[neutral])
        const others = Object.entries(BRANDED_KEYS).filter(([key]) => key !== neutral)
        for (const [key, other] of others) expect([shown[key], shown[other]]).toEqual([null, null])
      }
      await app.member.put(`/environments/acme/of-${type}/archive`, null)
    },
  )

  it('has one spelling of those keys anywhere else', () => {
    const context = { task_arn: 'arn', cluster_name: null }
    const artifact = { name: 'a', container_task_context: context, serverless_run_context: null }
    expect(toBrandedItem('listArtifacts', artifact)).toBe(artifact)
    expect(toBrandedAnswer('getTrail', artifact)).toBe(artifact)
  })
})

describe('the paths', () => {
  it('of a report have the branded word as well', () => {
    const path = '/environments/{org}/{env_name}/report/'
    expect(listPaths(`${path}cloudx-apps`)).toEqual([`${path}cloudx-apps`, `${path}azure-apps`])
    expect(listPaths(`${path}K8S`)).toEqual([`${path}K8S`])
  })

  it('of both spellings lead to the same operation', async () => {
    const { status } = await app.snapshotter.put('/environments/acme/apps/report/azure-apps', {
      artifacts: [],
    })
    expect(status).toBe(200)
    expect(await read('/apps')).toMatchObject({ last_reported_at: app.clock.now().getTime() / 1000 })
    const wrong = await app.reader.get('/environments/acme/apps/report/azure-apps')
    expect(wrong.status).toBe(405)
    expect(wrong.headers.allow).toBe('PUT')
  })

  it('and words of clients are not in the document', async () => {
    const { text } = await app.anonymous.get('/openapi.json')
    expect(text).toContain('cloudx-apps')
    expect(text).not.toMatch(/kosli|azure-apps|ecs_context|cloud_run_context/i)
  })
})

describe('notifications', () => {
  const PATHS = [
    '/organizations/acme/environments_notifications',
    '/actions/acme',
    '/actions/acme/environments',
  ]
  const chat = { type: 'SLACK', webhook: 'https://chat.example.com/hook' }
  const body = {
    name: 'chat',
    type: 'env',
    environments: ['cluster'],
    triggers: ['ON_COMPLIANT_ENV'],
    targets: [chat, { type: 'WEBHOOK', webhook: 'https://hooks.example.com/SLACK' }],
  }
  const listTypes = (record: { targets: { type: string; neutral_type: string }[] }) =>
    record.targets.map(({ type, neutral_type }) => `${type} ${neutral_type}`)

  it('are the same under every path that clients know', async () => {
    const made = await app.admin.put(PATHS[0] ?? '', body)
    expect(made.status).toBe(201)
    for (const path of PATHS) {
      expect((await app.admin.put(path, body)).body).toEqual(made.body)
      expect((await app.admin.get(path)).body).toEqual([made.body])
    }
    const { number } = made.body
    expect((await app.admin.get(`/actions/acme/${number}`)).body).toEqual(made.body)
    expect((await app.admin.put(`/actions/acme/${number}`, body)).body).toEqual(made.body)
    expect((await app.admin.post(`/actions/acme/${number}/test`)).status).toBe(201)
    const other = (await app.admin.put('/actions/acme', { ...body, name: 'other' })).body.number
    expect((await app.admin.delete(`/actions/acme/${other}`)).body).toBe('OK')
    const wrong = await app.admin.delete('/actions/acme')
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD, PUT'])
  })

  it('are stored in neutral words', async () => {
    const stored = await app.sql('select distinct type from notification_targets order by 1')
    expect(stored).toEqual([{ type: 'CHAT' }, { type: 'WEBHOOK' }])
  })

  it('are returned with the word last sent and the neutral one, to every caller', async () => {
    const { number } = (await app.admin.get('/actions/acme')).body[0]
    const config = '/notification-config/acme/api_key_expiry'
    for (const type of ['CHAT', 'SLACK']) {
      const sent = { ...body, targets: [{ ...chat, type }, body.targets[1]] }
      await app.admin.put(`/actions/acme/${number}`, sent)
      await app.admin.put(config, { targets: [sent.targets[0]] })
      for (const headers of AGENTS) {
        const call = async (method: string, path: string, value?: unknown) =>
          (await app.admin.call(method, path, value, headers)).body
        const [listed] = await call('GET', '/actions/acme')
        const one = await call('GET', `/actions/acme/${number}`)
        const put = await call('PUT', `/actions/acme/${number}`, sent)
        const again = await call('PUT', '/actions/acme', sent)
        const paged = (await call('GET', '/actions/acme?page=1')).data[0]
        for (const record of [listed, paged, one, put, again]) {
          expect(record.number).toBe(number)
          expect(listTypes(record)).toEqual([`${type} CHAT`, 'WEBHOOK WEBHOOK'])
        }
        expect(listed.targets[1].webhook).toBe('https://hooks.example.com/SLACK')
        expect(listTypes(await call('GET', config))).toEqual([`${type} CHAT`])
      }
    }
  })

  it('have both keys in their records, and in nothing else', async () => {
    for (const headers of [{}, CLI]) {
      const { body: records } = await app.reader.call('GET', '/actions/acme', undefined, headers)
      const { body: page } = await app.reader.call('GET', '/actions/acme?page=1', undefined, headers)
      expect(Object.keys(page)).toEqual(['data', 'pagination'])
      for (const record of [...records, ...page.data]) {
        expect(record).toMatchObject({ is_created_from_chat_app: false, is_created_from_slack_app: false })
      }
    }
    const config = await app.reader.get('/notification-config/acme/api_key_expiry')
    expect(config.text).not.toContain('slack')
    expect(toBrandedAnswer('deleteEnvironmentNotification', 'OK')).toBe('OK')
  })

  it('leave odd bodies to validation', async () => {
    for (const targets of [null, 'SLACK', ['SLACK'], { type: 'SLACK' }]) {
      const { status, body: answered } = await app.admin.put('/actions/acme', { ...body, targets })
      expect([status, Object.keys(answered.errors)[0]]).toEqual([400, expect.stringMatching(/^targets/)])
    }
    for (const odd of [undefined, null, 'SLACK', ['SLACK'], { name: 'SLACK' }]) {
      expect(toNeutralInput('putNotificationConfig', odd).values).toEqual(odd)
    }
    expect(toNeutralInput('putFlow', { targets: [chat] }).values).toEqual({ targets: [chat] })
  })

  it('are in the document under one path and in neutral words', async () => {
    const { text } = await app.anonymous.get('/openapi.json')
    expect(text).toContain('/environments_notifications/{number}/test')
    expect(text).not.toMatch(/slack|\/actions\//i)
  })
})

describe('the prefix of an existing assistant server', () => {
  const inject = (url: string, headers: Record<string, string> = {}) => app.server.inject({ url, headers })
  const reader = () => ({ authorization: `Bearer ${app.reader.key}` })

  it('is another spelling of our own: same caller, same answer, same links', async () => {
    const path = '/environments/acme?page=1&per_page=1'
    const own = await inject(`/api/v2${path}`, reader())
    const alias = await inject(`/api/fastapi${path}`, reader())
    expect(alias.statusCode).toBe(200)
    expect(alias.json()).toEqual(own.json())
    expect((await inject('/api/fastapi/openapi.json')).json().openapi).toBe('3.1.0')
  })

  it('is limited and protected in the same way', async () => {
    const { statusCode, headers } = await inject('/api/fastapi/environments/acme')
    expect([statusCode, headers['www-authenticate']]).toEqual([401, 'Bearer'])
    const foreign = await inject('/api/fastapi/environments/other-corp', reader())
    expect([foreign.statusCode, foreign.json()]).toEqual([
      403,
      { message: 'Access denied to /api/v2/environments/other-corp' },
    ])
  })

  it.each(['/api/fastapi', '/api/fastapis/environments/acme', '/x/api/fastapi/environments/acme'])(
    'is not part of %s',
    async url => expect((await inject(url, reader())).statusCode).toBe(404),
  )
})
