// Audit packages with proofs, as an auditor receives and verifies them: unchanged packages verify, and every change
// is detected.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Policy, parseVerifierKey } from '@waybill/transparency-log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildDecision } from '../../../test/controls.ts'
import { buildPodReport } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson } from '../../../test/people.ts'
import { makeScratchFolder, runProgram } from '../../../test/service.ts'
import { verifyPackage } from '../../verifier/package.ts'

let app: TestApp
let folder: string
let vkey: string
let policy: Policy
beforeAll(async () => {
  app = await startTestApp()
  folder = makeScratchFolder()
  await addControl(app, 'SDLC-1')
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
  const decided = await app.member.post(
    '/attestations/acme/ci/trail/run/system',
    buildDecision('SDLC-1', true),
  )
  expect(decided.status).toBe(201)
  await app.member.put('/environments/acme', { name: 'prod', type: 'K8S' })
  const report = buildPodReport('a')
  expect((await app.snapshotter.put('/environments/acme/prod/report/K8S', report)).status).toBe(200)
  vkey = (await app.reader.get('/log/acme/keys')).body.keys[0].vkey
  policy = {
    logs: [{ key: parseVerifierKey(vkey), url: undefined }],
    witnesses: [],
    groups: [],
    quorum: 'none',
  }
})
afterAll(() => app.stop())

const PACKAGES = [
  ['an environment', '/environments/acme/prod/audit_package', 'environment.json', 2],
  ['a snapshot', '/snapshots/acme/prod/1/audit_package', 'snapshot.json', 1],
  ['a control', '/controls/acme/SDLC-1/audit_package', 'control.json', 2],
  ['a period', '/organizations/acme/audit_package?from_timestamp=1', 'events.json', 6],
] as const

async function save(url: string): Promise<string> {
  const { status, bytes } = await app.admin.get(url)
  expect(status).toBe(200)
  const path = join(folder, `${url.replaceAll(/\W/g, '-')}.tgz`)
  writeFileSync(path, bytes ?? '')
  return path
}

/** Changes a text inside the archive; the texts have the same length. */
function alter(path: string, before: string | RegExp, change: (found: string) => string): string {
  const content = gunzipSync(readFileSync(path)).toString('latin1')
  const altered = content.replace(before, change)
  expect(altered).not.toBe(content)
  const other = path.replace('.tgz', '-altered.tgz')
  writeFileSync(other, gzipSync(Buffer.from(altered, 'latin1')))
  return other
}

describe('the package of', () => {
  it.each(PACKAGES)('%s is shown', async (_, url, record, least) => {
    const path = await save(url)
    const { verdict, proved, findings, log } = await verifyPackage(path, policy)
    expect({ verdict, problems: findings.filter(({ level }) => level !== 'note') }).toEqual({
      verdict: 'shown',
      problems: [],
    })
    expect(proved.length).toBeGreaterThanOrEqual(least)
    expect(log?.signed_by).toHaveLength(1)
    expect(gunzipSync(readFileSync(path)).toString('latin1')).toContain(record)
  })

  it.each(PACKAGES)('%s is refused after any change', async (_, url) => {
    const path = await save(url)
    for (const [before, change] of [
      [/"kind\W+\w/, (found: string) => `${found.slice(0, -1)}X`],
      [/Made by/, () => 'Made bY'],
      [/"salt": "\w/, (found: string) => `${found.slice(0, -1)}${found.endsWith('_') ? '0' : '_'}`],
      [
        /\n[0-9a-f]{8}/,
        (found: string) => `\n${[...found.slice(1)].map(c => (c === '0' ? '1' : '0')).join('')}`,
      ],
    ] as const) {
      const { verdict, findings } = await verifyPackage(alter(path, before, change), policy)
      expect(verdict).toBe('false')
      expect(findings.map(({ code }) => code)).toContain('V1')
    }
  })

  it('another log is refused, even if all sums are right', async () => {
    const path = await save('/organizations/acme/audit_package')
    const other = (await app.admin.get('/log/ada/keys')).body.keys[0].vkey
    const { verdict, findings } = await verifyPackage(path, {
      ...policy,
      logs: [{ key: parseVerifierKey(other), url: undefined }],
    })
    expect(verdict).toBe('false')
    expect(findings.map(({ code }) => code)).toEqual(['V2'])
  })

  it('a trail has only checksums, so there is no verdict', async () => {
    const { verdict } = await verifyPackage(await save('/trails/acme/ci/run/audit_package'), policy)
    expect(verdict).toBe('unknown')
  })

  it('another organization is out of reach', async () => {
    for (const [, url] of PACKAGES) expect((await app.outsider.get(url)).status).toBe(403)
  })
})

describe('a package of a period', () => {
  it('is for admins and auditors', async () => {
    const auditor = await addPerson(app, 'oda', 'auditor')
    const get = async (client: typeof auditor) =>
      (await client.get('/organizations/acme/audit_package')).status
    expect([await get(auditor), await get(app.admin), await get(app.member), await get(app.reader)]).toEqual([
      200, 200, 403, 403,
    ])
  })

  it('has the events of the period only', async () => {
    const none = await save('/environments/acme/prod/audit_package?to_timestamp=1')
    expect(await verifyPackage(none, policy)).toMatchObject({ verdict: 'shown', proved: [] })
    expect(
      (await app.admin.get('/organizations/acme/audit_package?from_timestamp=2&to_timestamp=1')).status,
    ).toBe(400)
  })

  it('with too many events is refused, never cut', async () => {
    await app.sql(
      `insert into events (org_id, event_id, kind, happened_at, actor, request_id, data)
       select org_id, ('fffffff0-0000-7000-8000-' || lpad(to_hex(i), 8, '0') || '0000')::uuid, 'flow_created',
         '2026-03-03', 'x', 'x', '{}'
       from orgs, generate_series(1, 2001) i where name = 'acme'`,
    )
    const { status, body } = await app.admin.get('/organizations/acme/audit_package')
    expect(status).toBe(400)
    expect(body.message).toContain('at most 2,000 events')
  })
})

describe('waybill verify', () => {
  const verify = (path: string, ...more: string[]) =>
    runProgram(['verify', path, '--vkey', vkey, ...more], { data_dir: join(folder, 'no-data') })

  it('exits with 0 for a package as it is, and with 1 after a change', async () => {
    const path = await save('/controls/acme/SDLC-1/audit_package')
    const good = await verify(path)
    expect(good.stdout).toContain('every event is in the log')
    expect(good.code).toBe(0)
    const bad = await verify(alter(path, /Made by/, () => 'Made bY'))
    expect(bad.stdout).toContain('V1 README.txt differs from the manifest')
    expect(bad.code).toBe(1)
    expect((await verify(path, '--artifact', 'a')).code).toBe(2)
    writeFileSync(join(folder, 'cut.tgz'), readFileSync(path).subarray(0, 500))
    expect((await verify(join(folder, 'cut.tgz'))).code).toBe(2)
  })
})
