// Two cells, each with its own PostgreSQL, evidence and secret key, behind a router that interprets the configuration of
// `admin cells proxy`. An organization moves from one to the other under load, with the commands of docs/operate/cells.md.
import { appendFileSync, cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { type HttpsSink, startHttpsSink } from '@waybill/testing/tls'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseCells, writeNginxConfiguration } from '../src/admin/cells.ts'
import { type OrgManifest, readTransferKey } from '../src/admin/org-transfer.ts'
import { operations } from '../src/api/operations.ts'
import { listCellRoutes } from '../src/http/cell-routes.ts'
import { systemClock } from '../src/lib/clock.ts'
import { type CellRouter, startCellRouter } from './cell-router.ts'
import { type CiIssuer, signToken, startIssuer } from './ci-issuer.ts'
import { until } from './patience.ts'
import { expectReadmeOutput, runReadme } from './readme.ts'
import {
  addCleanUp,
  call,
  connectOwner,
  makeDataDirectory,
  makeScratchFolder,
  runProgram,
  type Service,
  startService,
} from './service.ts'

const WRITERS = 3
const CANARY = 'canary-of-globex-5b1d'
const EVIDENCE = 'a report'
const AUDIENCE = 'https://waybill.example.org/acme'

let a: Service
let b: Service
let router: CellRouter
let account_key: string
let sink: HttpsSink
let issuer: CiIssuer
let evidence_path: string
let key_file: string
let folder: string
const agent = new http.Agent({ keepAlive: true })

const configure = (orgs: Record<string, 'a' | 'b'>) =>
  writeNginxConfiguration(
    parseCells(
      JSON.stringify({
        home: 'a',
        cells: {
          a: { url: a.url, servers: [`127.0.0.1:${a.port}`] },
          b: { url: b.url, servers: [`127.0.0.1:${b.port}`] },
        },
        orgs,
      }),
    ),
    listCellRoutes(operations),
  )
const send = (method: string, path: string, key: string | undefined, body?: unknown) =>
  call({ port: router.port, agent }, method, `/api/v2${path}`, { key, body })
const admin = async (cell: Service, ...args: string[]) => {
  const { code, stdout, stderr } = await runProgram(['admin', ...args], { data_dir: cell.data_dir })
  expect([code, stderr], args.join(' ')).toEqual([0, ''])
  return stdout
}
const transfer = () => ['--from', folder, '--key-file', key_file]

beforeAll(async () => {
  sink = await startHttpsSink()
  addCleanUp(() => sink.stop())
  const ca_file = join(makeScratchFolder(), 'ca.pem')
  writeFileSync(ca_file, sink.ca_pem)
  issuer = await startIssuer()
  addCleanUp(() => issuer.stop())
  const env = {
    WAYBILL_EGRESS_ALLOW: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: ca_file,
    WAYBILL_CI_ISSUERS: issuer.url,
  }
  a = await startService({ data_dir: makeDataDirectory(), env })
  b = await startService({ data_dir: makeDataDirectory(), env })
  router = await startCellRouter(configure({ acme: 'a' }))
  key_file = join(makeScratchFolder(), 'transfer.key')
  writeFileSync(key_file, `${'k'.repeat(64)}\n`, { mode: 0o600 })
  folder = join(makeScratchFolder(), 'acme')
  for (const name of ['acme', 'globex']) {
    const created = await send('POST', '/organizations', a.key, {
      name,
      description: name === 'acme' ? '' : CANARY,
    })
    expect(created.status, created.text).toBe(201)
    await a.call('PUT', `/api/v2/flows/${name}`, {
      key: a.key,
      body: { name: 'ci', description: name === 'acme' ? '' : CANARY },
    })
  }
  // Exists in both cells, with different ids.
  await admin(a, 'user', 'create', 'mira', '--email', 'mira@example.org', '--org', 'member@acme')
  await admin(b, 'user', 'create', 'mira', '--email', 'Mira@example.org')
  const account = { name: 'builder', privilege: 'admin', description: '' }
  await send('POST', '/service-accounts/acme', a.key, account)
  const made = await send('POST', '/service-accounts/acme/builder/api-keys', a.key, { description: 'ci' })
  account_key = JSON.parse(made.text).key
  expect(account_key, made.text).toBeTypeOf('string')
  await addEvidence()
  await eraseOne()
  await addWebhook()
  const rule = { name: 'backend', privilege: 'member', issuer: issuer.url, claims: { repository_id: '74' } }
  const added = await send('POST', '/trust-rules/acme', a.key, { ...rule, audience: AUDIENCE })
  expect(added.status, added.text).toBe(201)
})

/** Like a CI job: gets a key for the token of its CI system, then reports with the key. */
async function reportAsJob(trail: string): Promise<{ rule: string; status: number }> {
  const token = await signToken({ clock: systemClock }, issuer, { aud: AUDIENCE })
  const exchanged = await send('POST', '/keyless/acme/exchange', undefined, { token })
  expect(exchanged.status, exchanged.text).toBe(201)
  const { key, rule } = JSON.parse(exchanged.text)
  const { status } = await send('PUT', '/trails/acme/ci', key, { name: trail })
  return { rule, status }
}

async function addEvidence(): Promise<void> {
  await send('PUT', '/trails/acme/ci', account_key, { name: 'attached' })
  const form = new FormData()
  form.append('data_json', JSON.stringify({ attestation_name: 'test', is_compliant: true }))
  form.append('attachment_file', new Blob([EVIDENCE]), 'report.txt')
  const path = `${a.url}/api/v2/attestations/acme/ci/trail/attached`
  const headers = { authorization: `Bearer ${account_key}` }
  const reported = await fetch(`${path}/generic`, { method: 'POST', headers, body: form })
  expect(reported.status).toBe(201)
  const [attestation] = JSON.parse(
    (await send('GET', '/attestations/acme/ci/trail/attached/test', account_key)).text,
  )
  evidence_path = `/attestations/acme/ci/trail/attached/attestation/${attestation.attestation_id}/evidence`
}

/** The body of the first leaf after the one that opens the log. */
async function eraseOne(): Promise<void> {
  const erased = await send('POST', '/log/acme/bodies/1/erase', a.key, { reason: 'legal_obligation' })
  expect(erased.status, erased.text).toBe(200)
}

/** Its address and its signing secret are sealed with the cell's key. */
async function addWebhook(): Promise<void> {
  await send('PUT', '/environments/acme', account_key, { name: 'prod', type: 'K8S', description: '' })
  const made = await send('PUT', '/organizations/acme/environments_notifications', account_key, {
    name: 'hook',
    environments: ['prod'],
    triggers: ['ON_STARTED_ARTIFACT'],
    targets: [{ type: 'WEBHOOK', webhook: `${sink.url}/hook` }],
  })
  expect(made.status, made.text).toBe(201)
}

/** Writers that behave like clients: they retry a 503 until it succeeds. */
function startLoad() {
  const acknowledged: string[] = []
  const others: number[] = []
  let refused = 0
  let stopping = false
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let i = 0; !stopping; i++) {
      const name = `load-${writer}-${i}`
      for (;;) {
        const { status } = await send('PUT', '/trails/acme/ci', account_key, { name })
        if (status === 201 || status === 200) {
          acknowledged.push(name)
          break
        }
        if (status !== 503) others.push(status)
        refused += 1
      }
    }
  })
  const more = () => {
    const had = acknowledged.length
    return until(() => acknowledged.length >= had + 3 * WRITERS)
  }
  const stop = async () => {
    stopping = true
    await Promise.all(writers)
  }
  return { acknowledged, others, more, stop, countRefused: () => refused }
}

async function readRows(cell: Service, text: string): Promise<unknown[]> {
  const owner = await connectOwner(cell.data_dir)
  try {
    return (await owner.query(text)).rows
  } finally {
    await owner.end()
  }
}
const EVENTS = `select event_id, kind, actor, data from events where org_id = (select org_id from orgs where name = 'acme')
  and kind not in ('org_thawed', 'log_key_added') order by event_id`
const TRAILS = `select name from trails where org_id = (select org_id from orgs where name = 'acme')`

describe('the second cell', () => {
  it('runs the README through the proxy, and the home cell sees none of it', async () => {
    const { port } = await startCellRouter(configure({ 'demo-org': 'b' }))
    expectReadmeOutput(await runReadme(port, b.key ?? ''))
    expect(await readRows(b, 'select name from flows')).toEqual([{ name: 'backend-ci' }])
    const flows = "select f.name from flows f join orgs o using (org_id) where o.name = 'demo-org'"
    expect(await readRows(a, flows)).toEqual([])
  })
})

describe('an organization', () => {
  it('can be thawed again', async () => {
    await admin(a, 'org', 'freeze', 'acme')
    const back = join(makeScratchFolder(), 'back')
    await admin(a, 'org', 'export', 'acme', '--to', back, '--key-file', key_file)
    await admin(b, 'org', 'import', '--from', back, '--key-file', key_file)
    expect((await send('GET', '/flows/acme', account_key)).status).toBe(200)
    const refused = await send('PUT', '/trails/acme/ci', account_key, { name: 'meanwhile' })
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '2'])
    await admin(b, 'org', 'discard', 'acme')
    await admin(a, 'org', 'thaw', 'acme')
    expect((await send('PUT', '/trails/acme/ci', account_key, { name: 'after' })).status).toBe(201)
    expect(await readRows(b, "select 1 from orgs where name = 'acme'")).toEqual([])
  })

  it('gives keys to CI jobs before it moves', async () => {
    expect(await reportAsJob('of-a-job-before')).toEqual({ rule: 'backend', status: 201 })
  })

  it('moves to another cell under load and loses no acknowledged write', async () => {
    const load = startLoad()
    await load.more()
    await admin(a, 'org', 'freeze', 'acme')
    expect(await admin(a, 'org', 'export', 'acme', '--to', folder, '--key-file', key_file)).toContain(
      'personal keys',
    )
    await admin(b, 'org', 'import', ...transfer())
    await admin(a, 'org', 'verify', ...transfer())
    await admin(b, 'org', 'verify', ...transfer())
    expect(await readRows(b, EVENTS)).toEqual(await readRows(a, EVENTS))
    router.reload(configure({ acme: 'b' }))
    await admin(b, 'org', 'thaw', 'acme')
    await admin(a, 'org', 'freeze', 'acme', '--moved-to', 'b')
    await load.more()
    await load.stop()
    expect(load.others).toEqual([])
    expect(load.countRefused()).toBeGreaterThan(0)
    const stored = (await readRows(b, TRAILS)).map(row => (row as { name: string }).name)
    expect(load.acknowledged.filter(name => !stored.includes(name))).toEqual([])
    // The key of the service account works in the other cell; the first one no longer responds.
    expect((await b.call('GET', '/api/v2/flows/acme', { key: account_key })).status).toBe(200)
    expect((await a.call('GET', '/api/v2/flows/acme', { key: account_key })).status).toBe(503)
  })

  it('brings its evidence and the secrets of its notifications', async () => {
    expect((await send('GET', evidence_path, account_key)).text).toBe(EVIDENCE)
    const digests = { 'registry.example.com/web:1': 'a'.repeat(64) }
    const pod = { podName: 'web', namespace: 'default', digests, creationTimestamp: 1, owners: null }
    const report = { artifacts: [pod] }
    expect((await send('PUT', '/environments/acme/prod/report/K8S', account_key, report)).status).toBe(200)
    await until(() => sink.requests.length > 0)
    expect(sink.requests.map(({ path }) => path)).toEqual(['/hook'])
  })

  it('brings its erasures: erased data stays erased, and is explained', async () => {
    const { status, text } = await send('GET', '/log/acme/bodies/1', account_key)
    expect([status, JSON.parse(text).message]).toEqual([
      410,
      expect.stringMatching(
        /^The body of leaf 1 was erased by .* \(legal_obligation\), as leaf \d+ records$/,
      ),
    ])
  })

  it('brings its trust rules: CI jobs get keys from the other cell and report there', async () => {
    expect(await reportAsJob('of-a-job-after')).toEqual({ rule: 'backend', status: 201 })
    expect(await readRows(b, TRAILS)).toContainEqual({ name: 'of-a-job-after' })
    expect(await readRows(a, TRAILS)).not.toContainEqual({ name: 'of-a-job-after' })
  })

  it('brings its members, found by mail address or created', async () => {
    const members = await send('GET', '/members/acme', account_key)
    expect(members.text).toContain('mira')
    expect(await readRows(b, "select 1 from users where name like 'mira%'")).toHaveLength(1)
  })

  it('is exported without any data of another organization', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => join(folder, name))
    const found = files.filter(file => statSync(file).isFile() && readFileSync(file, 'utf8').includes(CANARY))
    expect(found).toEqual([])
    expect(statSync(join(folder, 'manifest.json')).mode & 0o077).toBe(0)
  })
})

describe('a damaged export', () => {
  it('is refused and stores nothing: a changed byte of evidence', async () => {
    const damaged = join(makeScratchFolder(), 'damaged')
    cpSync(folder, damaged, { recursive: true })
    const files = readdirSync(join(damaged, 'evidence'), { recursive: true, encoding: 'utf8' })
    const [file = ''] = files.filter(name => statSync(join(damaged, 'evidence', name)).isFile())
    writeFileSync(join(damaged, 'evidence', file), EVIDENCE.replace('r', 'R'))
    await admin(a, 'org', 'thaw', 'acme')
    const args = ['admin', 'org', 'import', '--from', damaged, '--key-file', key_file]
    await admin(b, 'org', 'freeze', 'acme')
    await admin(b, 'org', 'discard', 'acme')
    const before = await readRows(b, 'select count(*) from users')
    const { code, stderr } = await runProgram(args, { data_dir: b.data_dir })
    expect([code, stderr.includes('damaged')], stderr).toEqual([1, true])
    expect(await readRows(b, 'select count(*) from users')).toEqual(before)
    expect(await readRows(b, "select 1 from orgs where name = 'acme'")).toEqual([])
  })

  it.each([
    ['a changed row', 'trails.ndjson', 'was changed'],
    ['a changed manifest', 'manifest.json', 'manifest.json'],
    ['changed people', 'people.ndjson', 'was changed'],
  ])('is refused and stores nothing: %s', async (_, file, message) => {
    const damaged = join(makeScratchFolder(), 'damaged')
    cpSync(folder, damaged, { recursive: true })
    appendFileSync(join(damaged, file), ' ')
    if (file === 'manifest.json') {
      const text = readFileSync(join(damaged, file), 'utf8')
      writeFileSync(join(damaged, file), text.replace('"rows": ', '"rows": 1'))
    }
    const args = ['admin', 'org', 'import', '--from', damaged, '--key-file', key_file]
    const before = await readRows(b, 'select count(*) from users')
    const { code, stderr } = await runProgram(args, { data_dir: b.data_dir })
    expect([code, stderr.includes(message)], stderr).toEqual([1, true])
    expect(await readRows(b, 'select count(*) from users')).toEqual(before)
  })
})

describe('an export of another version', () => {
  it.each<[string, (migrations: OrgManifest['migrations']) => OrgManifest['migrations']]>([
    ['an older one', migrations => migrations.slice(0, -1)],
    ['a newer one', migrations => [...migrations, { name: '9999_later', sha256: '0'.repeat(64) }]],
    ['one with another text', migrations => migrations.map(({ name }) => ({ name, sha256: '0'.repeat(64) }))],
  ])('is refused and stores nothing: %s', async (_, change) => {
    const other = join(makeScratchFolder(), 'other')
    cpSync(folder, other, { recursive: true })
    const { mac: _mac, ...manifest }: OrgManifest = JSON.parse(
      readFileSync(join(other, 'manifest.json'), 'utf8'),
    )
    const here = manifest.migrations.at(-1)?.name
    const changed = { ...manifest, migrations: change(manifest.migrations) }
    const mac = (await readTransferKey(key_file)).sign(changed)
    writeFileSync(join(other, 'manifest.json'), JSON.stringify({ ...changed, mac }))
    const args = ['admin', 'org', 'import', '--from', other, '--key-file', key_file]
    const before = await readRows(b, 'select name from orgs union all select name from users order by 1')
    const { code, stderr } = await runProgram(args, { data_dir: b.data_dir })
    expect(code).toBe(1)
    expect(stderr).toContain(
      `The export has the schema of another version (${changed.migrations.at(-1)?.name ?? 'none'}, here ${here}); ` +
        'bring both cells to one version and export again',
    )
    expect(await readRows(b, 'select name from orgs union all select name from users order by 1')).toEqual(
      before,
    )
  })
})
