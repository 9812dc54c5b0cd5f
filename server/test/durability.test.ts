// Acknowledged data survives a power loss: contents and names are on the disk before the response.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBackup } from '../src/admin/backup.ts'
import { startCluster } from '../src/db/open.ts'
import { openDiskEvidence } from '../src/evidence/disk.ts'
import { systemClock } from '../src/lib/clock.ts'
import { syncFolder, writeDurably, writeOnceDurably } from '../src/lib/durable-files.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeSendMail } from '../src/mail/send.ts'
import { readOrCreateKey } from '../src/parts.ts'
import { type DiskWatch, watchDisk } from './disk-watch.ts'
import { makeFile, startTestApp, type TestApp } from './harness.ts'

const FLOW = '/flows/acme'
const ORG_ID = '01980000-0000-7000-8000-000000000000'
const NOW = new Date('2026-03-03T12:00:00Z')

let folder: string
let disk: DiskWatch
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-durable-'))
  disk = watchDisk()
})
afterEach(() => {
  disk.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Expects that nothing written below the folder is at risk, and that something was written. */
function expectSafe(below: string): void {
  const within = (line: string) => line.includes(below)
  expect([...disk.seen].filter(within)).not.toEqual([])
  expect(disk.listAtRisk().filter(within)).toEqual([])
  expect(disk.named_too_early).toEqual([])
}

describe('the watch itself', () => {
  it('sees content and a name that were not synced', async () => {
    const path = join(folder, 'a')
    const handle = await open(path, 'w')
    await handle.writeFile('x')
    expect(disk.listAtRisk()).toEqual([`content of ${path}`, `name of ${path}`])
    await handle.sync()
    expect(disk.listAtRisk()).toEqual([`name of ${path}`])
    await handle.close()
    await syncFolder(folder)
    expect(disk.listAtRisk()).toEqual([])
  })

  it('sees a file that is named before its content is safe, and a sync that nobody waits for', async () => {
    const [from, to] = [join(folder, 'from'), join(folder, 'to')]
    const handle = await open(from, 'w')
    await handle.writeFile('x')
    const syncing = handle.sync()
    await rename(from, to)
    expect(disk.named_too_early).toEqual([to])
    await syncing
    await handle.close()
  })
})

describe('an attachment', () => {
  let app: TestApp
  const attach = (name: string, content: string) =>
    app.member.form('POST', '/attestations/acme/build/trail/run/generic', {
      data_json: JSON.stringify({ attestation_name: name, is_compliant: true }),
      attachment_file: makeFile(content),
    })

  it('is on the disk, with every folder above it, before the response', async () => {
    app = await startTestApp()
    try {
      await app.member.put(FLOW, { name: 'build', description: '' })
      await app.member.put('/trails/acme/build', { name: 'run' })
      for (const content of ['first', 'second', 'first']) {
        expect((await attach(content, content)).status).toBe(201)
        expectSafe(app.evidence_dir)
      }
      const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => attach(`${i}`, `content ${i}`)))
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
      expectSafe(app.evidence_dir)
    } finally {
      await app.stop()
    }
  })

  it('is kept before its row is stored, however slow the disk is', async () => {
    app = await startTestApp()
    const names = async () =>
      (await app.sql('select attestation_name from attestations')).map(row => row.attestation_name)
    try {
      await app.member.put(FLOW, { name: 'build', description: '' })
      await app.member.put('/trails/acme/build', { name: 'run' })
      const disk_is_slow = delayKeeping(app)
      const answer = attach('slow', 'content')
      await disk_is_slow.asked
      // When this is stored, everything sent before it would be stored too.
      const other = { attestation_name: 'other', is_compliant: true }
      expect((await app.member.post('/attestations/acme/build/trail/run/generic', other)).status).toBe(201)
      expect(await names()).toEqual(['other'])
      disk_is_slow.goOn()
      expect((await answer).status).toBe(201)
      expect(await names()).toEqual(['other', 'slow'])
    } finally {
      await app.stop()
    }
  })

  it('is safe even if another request has just created its folder', async () => {
    const root = join(folder, 'evidence')
    const store = await openDiskEvidence({ root, newName: randomUUID, now: NOW })
    const staged = [
      await store.stage(ORG_ID, 'a', Readable.from(['same'])),
      await store.stage(ORG_ID, 'b', Readable.from(['same'])),
    ]
    const keeping = staged.map(one => one.keep())
    await Promise.race(keeping)
    expectSafe(root)
    await Promise.all(keeping)
  })

  it('is safe in a folder that an earlier process created and did not sync', async () => {
    const root = join(folder, 'evidence')
    const store = await openDiskEvidence({ root, newName: randomUUID, now: NOW })
    const staged = await store.stage(ORG_ID, 'a', Readable.from(['x']))
    await mkdir(join(root, ORG_ID, staged.sha256.slice(0, 2)), { recursive: true })
    expect(disk.listAtRisk()).toHaveLength(3)
    await staged.keep()
    expectSafe(root)
  })
})

it('a backup is on the disk when it is reported as made', async () => {
  const app = await startTestApp()
  try {
    const { evidence, owner } = app
    const target = join(folder, 'backups', 'today')
    await createBackup(target, { owner, evidence, newName: randomUUID, now: NOW })
    expect(existsSync(join(target, 'manifest.json'))).toBe(true)
    expectSafe(join(folder, 'backups'))
  } finally {
    await app.stop()
  }
})

it('the passwords of the database are on the disk before there is a database', async () => {
  const cluster = await startCluster({
    database_url: undefined,
    data_dir: folder,
    createPassword: randomUUID,
    log: () => undefined,
  })
  try {
    expectSafe(join(folder, 'database-credentials.json'))
    expect(statSync(join(folder, 'database-credentials.json')).mode & 0o777).toBe(0o600)
    expect(disk.listAtRisk()).not.toContain(`name of ${join(folder, 'postgres')}`)
    expect(disk.seen).toContain(join(folder, 'postgres'))
  } finally {
    await cluster.stop()
  }
})

describe('the key that secrets are sealed with', () => {
  const path = () => join(folder, 'secret-key')

  it('is on the disk before anything is sealed with it, and stays the same', async () => {
    const key = await readOrCreateKey(folder)
    expectSafe(folder)
    expect(key).toBe(readFileSync(path(), 'utf8').trim())
    expect(key.length).toBeGreaterThan(40)
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(await readOrCreateKey(folder)).toBe(key)
  })

  it('is one key for all processes that start at the same time', async () => {
    const keys = await Promise.all([
      readOrCreateKey(folder),
      readOrCreateKey(folder),
      readOrCreateKey(folder),
    ])
    expect(new Set(keys).size).toBe(1)
  })

  it('is never an empty file', async () => {
    writeFileSync(path(), '\n')
    await expect(readOrCreateKey(folder)).rejects.toThrow(`${path()} is empty`)
  })
})

it('a mail that is written to a file is on the disk when it counts as sent', async () => {
  const egress = { connect: () => Promise.reject(new Error('there is no mail server')) }
  const unset = { smtp_url: undefined, mail_from: undefined }
  const log = makeLog('silent')
  const sendMail = makeSendMail({ ...unset, data_dir: folder, clock: systemClock, log, egress })
  const mail = { to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
  expect(await sendMail(randomUUID(), mail)).toMatchObject({ error: null })
  expectSafe(folder)
})

describe('a file', () => {
  it('is replaced as a whole', async () => {
    const path = join(folder, 'a')
    for (const content of ['one', 'two']) {
      await writeDurably(path, content)
      expect(readFileSync(path, 'utf8')).toBe(content)
      expectSafe(path)
    }
  })

  it('is written once and then left as it is', async () => {
    const path = join(folder, 'a')
    for (const content of ['one', 'two']) await writeOnceDurably(path, content)
    expect(readFileSync(path, 'utf8')).toBe('one')
    expectSafe(path)
  })
})

/** Stores no evidence until `goOn` is called. */
function delayKeeping({ evidence }: TestApp) {
  let goOn = () => {}
  const going = new Promise<void>(resolve => {
    goOn = resolve
  })
  let ask = () => {}
  const asked = new Promise<void>(resolve => {
    ask = resolve
  })
  const stage = evidence.stage
  evidence.stage = async (...args) => {
    const staged = await stage(...args)
    const keep = async () => {
      ask()
      await going
      await staged.keep()
    }
    return { ...staged, keep }
  }
  return { asked, goOn }
}
