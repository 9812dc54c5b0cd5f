// `admin check` when the evidence store is down: it ends, names the store, and still reports on the database.
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkAttachments } from '../src/admin/check-evidence.ts'
import { makeFile, ORG, startTestApp, type TestApp } from './harness.ts'
import { addCleanUp, createDatabase, findFreePort, makeScratchFolder, runProgram } from './service.ts'

const BUCKET = {
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'very-secret',
  WAYBILL_DNS_SERVER: '127.0.0.1:9',
}

/** Accepts connections and never answers. */
async function startSilentServer(): Promise<number> {
  const server = net.createServer(socket => socket.on('error', () => undefined))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  addCleanUp(() => void server.close())
  return (server.address() as net.AddressInfo).port
}

const buildBucketUrl = (port: number) => `s3://evidence?endpoint=http://127.0.0.1:${port}`

describe('the program', () => {
  let url: string
  beforeAll(async () => {
    ;({ url } = await createDatabase())
    const env = { DATABASE_URL: url }
    expect((await runProgram(['admin', 'migrate'], { data_dir: makeScratchFolder(), env })).code).toBe(0)
  })

  it.each([
    [
      'a bucket that refuses connections',
      async () => buildBucketUrl(await findFreePort()),
      'the bucket evidence',
    ],
    [
      'a bucket that never answers',
      async () => buildBucketUrl(await startSilentServer()),
      'the bucket evidence',
    ],
    [
      'a folder that is a file',
      async () => {
        const path = join(makeScratchFolder(), randomUUID())
        writeFileSync(path, '')
        return pathToFileURL(path).href
      },
      'the folder /',
    ],
  ])('reports %s', async (_what, makeUrl, name) => {
    const env = { DATABASE_URL: url, WAYBILL_EVIDENCE_URL: await makeUrl(), ...BUCKET }
    const { code, stdout, stderr } = await runProgram(['admin', 'check'], {
      data_dir: makeScratchFolder(),
      env,
    })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(/^ok {5} every trail has the event that began it$/m)
    expect(stdout).toMatch(/^BROKEN {2}the evidence store can be used$/m)
    expect(stdout).toContain(`          ${name}`)
    expect(stdout + stderr).not.toMatch(/very-secret|^ +at /m)
  })
})

describe('a folder that does not exist', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
  })
  afterAll(() => app.stop())

  const check = (folder: string) =>
    checkAttachments(
      app.owner,
      { name: `the folder ${folder}`, folder, open: async () => app.evidence },
      { verify: false },
    )

  it('is expected before the first attachment, and reported after it', async () => {
    const folder = join(makeScratchFolder(), 'unmounted')
    expect(await check(folder)).toEqual([
      { check: 'every attachment is in the evidence store', ok: true, found: [] },
    ])
    await app.member.put(`/flows/${ORG}`, { name: 'ci', description: '' })
    await app.member.put(`/trails/${ORG}/ci`, { name: 'run' })
    const data_json = JSON.stringify({ attestation_name: 'scan', is_compliant: true })
    const parts = { data_json, attachment_file: makeFile('report') }
    const { status } = await app.member.form('POST', `/attestations/${ORG}/ci/trail/run/generic`, parts)
    expect(status).toBe(201)
    expect(await check(folder)).toEqual([
      {
        check: 'the evidence store can be used',
        ok: false,
        found: [`the folder ${folder}: the folder does not exist`],
      },
    ])
    mkdirSync(folder)
    expect((await check(folder)).map(({ check }) => check)).toEqual([
      'every attachment is in the evidence store',
    ])
  })
})
