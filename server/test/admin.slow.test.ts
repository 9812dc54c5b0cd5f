// The admin program as operators run it: before the first start, beside a running service, after it stops, and on an
// external database.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  connectOwner,
  createDatabase,
  type Finished,
  makeDataDirectory,
  makeScratchFolder,
  runProgram,
  type Service,
  startService,
} from './service.ts'

const ALICE_KEY = 'alice-brought-this-key-along'
const SET_UP = `
users:
  - name: alice
    email: alice@example.com
    api_keys: [{ secret: "${ALICE_KEY}", description: imported }]
  - name: carol
    personal_org: false
orgs:
  - name: acme
    description: Things that explode
    members: [{ user: alice, role: admin }, { user: carol, role: reader }]
    service_accounts: [{ name: ci, privilege: member }]
    features: { controls: true }
`
const BAD_SET_UP = `
users:
  - name: "not a name"
    email: nobody
    shoe_size: 43
  - name: dave
orgs:
  - name: fine-org
    members: [{ user: dave, role: emperor }]
`

let data_dir: string
let file: string
let service: Service
beforeAll(() => {
  data_dir = makeDataDirectory()
  file = join(makeScratchFolder(), 'set-up.yaml')
  writeFileSync(file, SET_UP)
})

describe('before the first start', () => {
  it('applies a file to a directory that does not exist yet, and then has nothing to change', async () => {
    const first = await runAdmin(['apply', file, '--json'])
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(first.stdout).changes.toSorted()).toEqual([
      'created personal organization alice',
      'created service account ci in acme',
      'created shared organization acme',
      'created user alice',
      'created user carol',
      'imported a key for alice',
      'made alice admin of acme',
      'made alice admin of alice',
      'made carol reader of acme',
    ])
    expect(await runAdmin(['apply', file])).toEqual({ code: 0, stdout: 'nothing to change\n', stderr: '' })
  })

  it('finds the schema current and the data intact', async () => {
    expect(await runAdmin(['migrate'])).toEqual({ code: 0, stdout: 'the schema is current\n', stderr: '' })
    const check = await runAdmin(['check', '--json'])
    expect(check.code).toBe(0)
    const { ok, checks } = JSON.parse(check.stdout)
    expect(ok).toBe(true)
    expect(checks.length).toBeGreaterThanOrEqual(4)
  })
})

describe('beside a running service', () => {
  beforeAll(async () => {
    service = await startService({ data_dir, env: { WAYBILL_LOG_LEVEL: 'trace' } })
  })

  it('serves that set-up, with no first user and no key of its own', async () => {
    expect(service.stdout()).toBe(`Waybill is ready: ${service.url}\n`)
    expect(await readStatus(ALICE_KEY, 'GET', 'acme')).toBe(200)
    expect(await readStatus(ALICE_KEY, 'GET', 'alice')).toBe(200)
    expect(await readStatus(ALICE_KEY, 'GET', 'carol')).toBe(403)
  })

  it('applies standard input, also when there is nothing to change', async () => {
    const same = await runAdmin(['apply', '-', '--json'], SET_UP)
    expect(JSON.parse(same.stdout)).toEqual({ changes: [] })
    const more = SET_UP.replace('role: reader', 'role: member').replace('Things', 'Stuff')
    const changed = await runAdmin(['apply', '-', '--json'], more)
    expect(JSON.parse(changed.stdout).changes).toEqual([
      'changed organization acme',
      'made carol member of acme',
    ])
  })

  it('keeps everything that the file no longer names', async () => {
    const before = await service.call('GET', '/api/v2/members/acme', { key: ALICE_KEY })
    const less = 'orgs: [{ name: acme, members: [{ user: alice, role: admin }] }]'
    const { code, stdout } = await runAdmin(['apply', '-', '--json'], less)
    expect([code, JSON.parse(stdout)]).toEqual([0, { changes: [] }])
    const after = await service.call('GET', '/api/v2/members/acme', { key: ALICE_KEY })
    expect(after.text).toBe(before.text)
    expect(after.text).toContain('"carol"')
    const accounts = await service.call('GET', '/api/v2/service-accounts/acme/ci', { key: ALICE_KEY })
    expect(accounts.status).toBe(200)
  })

  it('describes a personal organization and switches its features, and nothing more', async () => {
    const wanted =
      'orgs: [{ name: alice, kind: personal, description: Of Alice, features: { controls: false } }]'
    const { code, stdout } = await runAdmin(['apply', '-', '--json'], wanted)
    expect([code, JSON.parse(stdout)]).toEqual([0, { changes: ['changed organization alice'] }])
    const again = await runAdmin(['apply', '-', '--json'], wanted)
    expect(JSON.parse(again.stdout)).toEqual({ changes: [] })
    const shown = await service.call('GET', '/api/v2/organizations/alice', { key: ALICE_KEY })
    expect(JSON.parse(shown.text)).toMatchObject({
      kind: 'personal',
      description: 'Of Alice',
      features: { controls: false },
    })
    const members = 'orgs: [{ name: alice, kind: personal, members: [{ user: carol, role: reader }] }]'
    const accounts = 'orgs: [{ name: alice, kind: personal, service_accounts: [{ name: ci }] }]'
    await expectRefusals([
      [['apply', '-'], members, 'alice is personal: its user is its only member'],
      [['apply', '-'], accounts, 'alice is personal and cannot have service accounts'],
      [['apply', '-'], 'orgs: [{ name: nobody, kind: personal }]', 'created with its user'],
      [['apply', '-'], 'orgs: [{ name: acme, kind: personal }]', 'already exists and is shared'],
      [['apply', '-'], 'orgs: [{ name: alice }]', 'set kind: personal'],
    ])
  })

  it('lists every error of a bad file and changes nothing', async () => {
    const refused = await runAdmin(['apply', '-'], BAD_SET_UP)
    expect(refused.code).toBe(1)
    expect(refused.stdout).toBe('')
    for (const field of [
      'users[0].name',
      'users[0].email',
      'users[0].shoe_size',
      'orgs[0].members[0].role',
    ]) {
      expect(refused.stderr).toContain(field)
    }
    // Only the database can find this mistake, halfway through: the changes before it are rolled back.
    const half = 'users: [{ name: dave }]\norgs: [{ name: zoo, members: [{ user: eve, role: admin }] }]'
    await expectRefusals([
      [['apply', '-'], half, 'eve'],
      [['apply', '-'], 'users: [', 'not valid YAML'],
      [['apply', '/nowhere.yaml'], '', '/nowhere.yaml'],
    ])
    const owner = await connectOwner(data_dir)
    const found = await owner.query("select name from users where name in ('dave', 'not a name')")
    await owner.end()
    expect(found.rows).toEqual([])
  })

  it('creates a user with roles and a key that works', async () => {
    const made = await runAdmin([
      'user',
      'create',
      'bob',
      '--email',
      'bob@example.com',
      '--org',
      'member@acme',
      '--json',
    ])
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const { name, key } = JSON.parse(made.stdout)
    expect(name).toBe('bob')
    expect(await readStatus(key, 'PUT', 'acme')).toBe(201)
    expect(await readStatus(key, 'GET', 'bob')).toBe(200)
    await expectRefusals([
      [['user', 'create', 'bob', '--email', 'b@example.com'], '', 'bob'],
      [['user', 'create', 'rob', '--email', 'BOB@example.com'], '', 'BOB@example.com'],
      [['user', 'create', 'rob', '--email', 'rob@example.com', '--org', 'emperor@acme'], '', 'emperor'],
    ])
  })

  it('imports a secret of 20 characters for a user and for a service account', async () => {
    const secrets = { user: 'u'.repeat(20), account: '~!@#$%^&*()_+{}|:<>?' }
    const user = await runAdmin(['key', 'import', '--user', 'carol'], `${secrets.user}\n`)
    expect(user).toEqual({ code: 0, stdout: 'imported a key for carol\n', stderr: '' })
    const forAccount = ['key', 'import', '--service-account', 'ci', '--org', 'acme', '--json']
    const account = await runAdmin(forAccount, secrets.account)
    expect(JSON.parse(account.stdout)).toEqual({ changes: ['imported a key for ci'] })
    expect(await readStatus(secrets.user, 'GET', 'acme')).toBe(200)
    expect(await readStatus(secrets.account, 'PUT', 'acme')).toBe(200)
    expect(await readStatus(secrets.account, 'GET', 'alice')).toBe(403)
    expect(JSON.parse((await runAdmin(forAccount, secrets.account)).stdout)).toEqual({ changes: [] })
    await expectRefusals([
      [['key', 'import', '--user', 'carol'], secrets.account, 'in use'],
      [['key', 'import', '--user', 'carol'], 'u'.repeat(19), '20 to 512'],
      [['key', 'import', '--user', 'nobody'], 'n'.repeat(20), 'nobody'],
      [['key', 'create', '--service-account', 'ci'], '', '--org'],
    ])
    for (const secret of Object.values(secrets)) expect(service.stderr()).not.toContain(secret)
  })

  it('creates keys for a user and for a service account', async () => {
    const user = await runAdmin(['key', 'create', '--user', 'alice'])
    const [line, userKey = ''] = user.stdout.split('\n')
    expect(line).toBe('API key of alice (shown only once):')
    expect(await readStatus(userKey, 'GET', 'acme')).toBe(200)
    const account = await runAdmin(['key', 'create', '--service-account', 'ci', '--org', 'acme', '--json'])
    expect(await readStatus(JSON.parse(account.stdout).key, 'GET', 'acme')).toBe(200)
  })

  it('deactivates and reactivates a person', async () => {
    expect(await readStatus(ALICE_KEY, 'GET', 'acme')).toBe(200)
    const stopped = await runAdmin(['user', 'deactivate', 'alice'])
    expect(stopped).toMatchObject({ code: 0, stderr: '' })
    expect(stopped.stdout).toBe(
      'deactivated user alice\nWARNING alice is the only admin of acme; make someone else an admin\n',
    )
    await expect.poll(() => readStatus(ALICE_KEY, 'GET', 'acme')).toBe(401)
    expect((await runAdmin(['user', 'list'])).stdout).toMatch(
      /^alice {2}alice@example.com {2}deactivated 20/m,
    )
    const again = JSON.parse((await runAdmin(['user', 'deactivate', 'alice', '--json'])).stdout)
    expect(again).toEqual({ changes: [], last_admin_of: ['acme'] })
    expect((await runAdmin(['user', 'reactivate', 'alice'])).stdout).toBe('reactivated user alice\n')
    await expect.poll(() => readStatus(ALICE_KEY, 'GET', 'acme')).toBe(200)
    const listed = JSON.parse((await runAdmin(['user', 'list', '--json'])).stdout)
    expect(listed).toContainEqual(
      expect.objectContaining({ name: 'alice', email: 'alice@example.com', deactivated_at: null }),
    )
    await expectRefusals([[['user', 'deactivate', 'none'], '', 'There is no user none']])
  })

  it('shows and changes the quotas of an organization, one by one', async () => {
    const quota = async (...options: string[]) =>
      JSON.parse((await runAdmin(['org', 'quota', 'acme', ...options, '--json'])).stdout)
    expect(await quota()).toEqual({ changes: [], quotas: {} })
    const set = await quota('--evidence-bytes', '5000000', '--requests-per-second', 'off')
    const quotas = { requests_per_second: null, evidence_bytes: 5_000_000 }
    expect(set).toEqual({ changes: ['changed the quotas of acme'], quotas })
    expect(await quota('--evidence-bytes', '5000000')).toEqual({ changes: [], quotas })
    expect((await runAdmin(['org', 'quota', 'acme'])).stdout).toMatch(
      /requests_per_second +off\nevidence_bytes +5000000\njq_seconds_per_hour +default\n/,
    )
    expect(await quota('--evidence-bytes', 'default', '--requests-per-second', 'default')).toMatchObject({
      quotas: {},
    })
    await expectRefusals([
      [
        ['org', 'quota', 'acme', '--evidence-bytes', '5GB'],
        '',
        'evidence_bytes must be a whole number of at least 1',
      ],
      [['org', 'quota', 'none'], '', 'There is no organization none'],
    ])
  })

  it('lists the keys of a user and of a service account, and revokes one by id or hint', async () => {
    for (const owner of [
      ['--user', 'alice'],
      ['--service-account', 'ci', '--org', 'acme'],
    ]) {
      const made = await runAdmin(['key', 'create', ...owner, '--description', 'to revoke', '--json'])
      const { name, key } = JSON.parse(made.stdout)
      expect(await readStatus(key, 'GET', 'acme')).toBe(200)
      const listed = JSON.parse((await runAdmin(['key', 'list', ...owner, '--json'])).stdout)
      const hint = key.slice(0, key.lastIndexOf('_'))
      const found = listed.find((one: { hint: string }) => one.hint === hint)
      expect(found).toMatchObject({ description: 'to revoke', expires_at: 0 })
      expect((await runAdmin(['key', 'list', ...owner])).stdout).toContain(
        `${found.id}  ${hint}  to revoke\n`,
      )
      const which = name === 'ci' ? hint : found.id
      const revoked = await runAdmin(['key', 'revoke', ...owner, which, '--json'])
      expect(JSON.parse(revoked.stdout).changes).toEqual([`revoked the key ${found.id} of ${name}`])
      // The service knows the key from the requests above; it must not create another one even so.
      const keys = name === 'ci' ? '/service-accounts/acme/ci/api-keys' : '/user/api-keys'
      const body = { description: 'lasting' }
      expect((await service.call('POST', `/api/v2${keys}`, { key, body })).status).toBe(401)
      await expect.poll(() => readStatus(key, 'GET', 'acme')).toBe(401)
      const left = (await runAdmin(['key', 'list', ...owner])).stdout
      expect(left).not.toContain('lasting')
      await expectRefusals([[['key', 'revoke', ...owner, which], '', which]])
    }
    const owner = await connectOwner(data_dir)
    const { rows } = await owner.query(
      "select o.name, e.actor, e.data from events e join orgs o using (org_id) where e.kind = 'api_key_revoked' order by 1",
    )
    await owner.end()
    expect(rows).toMatchObject([
      { name: 'acme', actor: 'admin program', data: { owner: 'ci', source: 'script' } },
      { name: 'alice', actor: 'admin program', data: { owner: 'alice', source: 'script' } },
    ])
  })

  it('migrates and checks, and the check finds a tampered state, running or stopped', async () => {
    const path = '/api/v2/trails/acme/made'
    expect((await service.call('PUT', path, { key: ALICE_KEY, body: { name: 'honest' } })).status).toBe(201)
    expect(await runAdmin(['migrate', '--json'])).toMatchObject({ code: 0, stdout: '{"applied":[]}\n' })
    expect((await runAdmin(['check'])).code).toBe(0)
    const owner = await connectOwner(data_dir)
    await owner.query("update trails set compliance_state = 'NON-COMPLIANT' where name = 'honest'")
    await owner.end()
    await expectBroken()
    service.signal('SIGTERM')
    expect(await service.ended).toEqual({ code: 0, signal: null })
    await expectBroken()
  })
})

describe('on an external database', () => {
  it('is migrated by an owner who cannot create roles, once a DBA has created the application role', async () => {
    const { url, owner } = await createDatabase()
    const role = `owner_${randomUUID().replaceAll('-', '')}`
    await owner.query(`create role ${role} login password 'secret'`)
    await owner.query(`grant waybill_app to ${role} with admin option`)
    await owner.query(`grant create, usage on schema public to ${role} with grant option`)
    const env = { DATABASE_URL: url.replace(/^postgres:\/\/[^@]*@/, `postgres://${role}:secret@`) }
    const migrated = await runProgram(['admin', 'migrate'], { data_dir: makeScratchFolder(), env })
    expect(migrated).toMatchObject({ code: 0, stderr: '' })
    const check = await runProgram(['admin', 'check'], { data_dir: makeScratchFolder(), env })
    expect(check).toMatchObject({ code: 0, stderr: '' })
    await owner.query(`drop owned by ${role} cascade`)
    await owner.query(`drop role ${role}`)
  })

  it('runs as two processes that start at the same time, with one first key', async () => {
    const { url, owner } = await createDatabase()
    const env = { DATABASE_URL: url, NODE_ENV: 'production', WAYBILL_SECRET_KEY: 'x'.repeat(32) }
    const start = (role: string) =>
      startService({ data_dir: makeDataDirectory(), env: { ...env, WAYBILL_ROLE: role } })
    const [serving, working] = await Promise.all([start('serve'), start('work')])
    expect(working.stdout().split('\n')[0]).toBe('Waybill is ready: working the outbox')
    const keys = [serving.key, working.key].filter(key => key !== undefined)
    expect(keys).toHaveLength(1)
    const [key] = keys
    expect((await owner.query('select 1 from personal_keys')).rowCount).toBe(1)
    expect((await serving.call('GET', '/ready')).text).toBe('OK')
    const body = { name: 'made', description: '' }
    expect((await serving.call('PUT', '/api/v2/flows/demo-org', { key, body })).status).toBe(201)
    await expect(working.call('GET', '/ready')).rejects.toThrow('ECONNREFUSED')
    const check = await runProgram(['admin', 'check'], { data_dir: makeScratchFolder(), env })
    expect(check.code).toBe(0)
    for (const process of [serving, working]) {
      process.signal('SIGTERM')
      expect(await process.ended).toEqual({ code: 0, signal: null })
    }
  })
})

function runAdmin(args: string[], input = ''): Promise<Finished> {
  return runProgram(['admin', ...args], { data_dir, input })
}

async function readStatus(key: string, method: 'GET' | 'PUT', org: string): Promise<number> {
  const body = method === 'PUT' ? { name: 'made', description: '' } : undefined
  return (await service.call(method, `/api/v2/flows/${org}`, { key, body })).status
}

async function expectBroken(): Promise<void> {
  const found = await runAdmin(['check'])
  expect(found.code).toBe(1)
  expect(found.stdout).toMatch(/^BROKEN .*state/m)
  expect(found.stdout).toContain('acme/made/honest')
  const { ok } = JSON.parse((await runAdmin(['check', '--json'])).stdout)
  expect(ok).toBe(false)
}

/** Every call is rejected with its one-line message. */
async function expectRefusals(calls: [string[], string, string][]): Promise<void> {
  const finished = await Promise.all(calls.map(([args, input]) => runAdmin(args, input)))
  for (const [i, { code, stdout, stderr }] of finished.entries()) {
    expect(stderr).toContain(calls[i]?.[2])
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect([code, stdout]).toEqual([1, ''])
  }
}
