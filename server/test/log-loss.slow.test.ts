// Signed data is never replaced: a database that has lost leaves is noticed, by running and by new processes, and
// writes continue. Keys are replaced by a chain of leaves.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseCheckpoint, parseNote, parseVerifierKey, verifyNote } from '@waybill/transparency-log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { findLogProblems } from '../src/log/check.ts'
import { OVERLAP_MS } from '../src/log/keys.ts'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import { loseLeaves, runLog } from './lost-leaves.ts'
import { publishLogs } from './publish-logs.ts'

let app: TestApp
let org_id: string
const started: TestApp[] = []
beforeEach(async () => {
  app = await startTestApp()
  org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  await write('first')
})
afterEach(async () => {
  for (const process of started.splice(0)) await process.stop()
  await app.stop()
})

async function startProcess(): Promise<TestApp> {
  const process = await startTestApp({ beside: app })
  started.push(process)
  return process
}

const write = (name: string, headers: Record<string, string> = {}) =>
  app.admin.call('PUT', `/flows/${ORG}`, { name, description: '' }, headers)

const readNote = async ({ reader }: TestApp = app) => {
  const answer = await reader.get(`/log/${ORG}/checkpoint`)
  expect(answer.text, answer.text).toMatch(/^waybill/)
  const note = parseNote(answer.text)
  return { ...parseCheckpoint(note.text), note }
}

const publish = () => publishLogs(app)

const readAnchors = async () => [...(await app.evidence.anchors.list(org_id)).keys()]

describe('the anchor of a log', () => {
  it('is the newest checkpoint, and the database has it too', async () => {
    await publish()
    await write('second')
    await publish()
    await publish()
    const { size, note } = await readNote()
    expect(await readAnchors()).toEqual([`1-${String(size).padStart(16, '0')}`])
    const [stored] = await app.sql('select size::int, note from log_checkpoints where org_id = $1', [org_id])
    expect(stored?.size).toBe(size)
    expect(parseNote(String(stored?.note))).toEqual(note)
    expect(await findLogProblems(makeOwnerDb(app.owner))).toEqual([])
  })
})

describe('a database that has lost leaves', () => {
  it.each([
    ['a running process notices it', 0, () => Promise.resolve(app)],
    ['a new process notices it', 0, startProcess],
    ['a new process notices it although the log has grown beyond', 5, startProcess],
    ['a running process notices it although the log has grown beyond', 5, () => Promise.resolve(app)],
  ])('%s, signs nothing, and writes go on', async (_, more, findProcess) => {
    for (const name of ['second', 'third']) await write(name)
    await readNote()
    await publish()
    await loseLeaves(app, org_id, 2)
    for (let i = 0; i < more; i++) expect((await write(`more-${i}`)).status).toBe(201)
    const found = await findProcess()
    const { status, body } = await found.reader.get(`/log/${ORG}/checkpoint`)
    expect(status).toBe(503)
    expect(body.message).toMatch(/^The log cannot be signed: /)
    expect((await found.reader.get(`/log/${ORG}/proof?index=0`)).status).toBe(503)
    const written = await found.admin.call(
      'PUT',
      `/flows/${ORG}`,
      { name: 'after', description: '' },
      {
        prefer: 'waybill-proof',
      },
    )
    expect(written.status).toBe(201)
    expect(written.headers).toHaveProperty('waybill-log')
    expect(written.headers).not.toHaveProperty('waybill-log-proof')
    const ready = await found.anonymous.get('/ready')
    expect(ready.text).toMatch(/log of organization/)
  })

  it('can still be read: only signing is refused', async () => {
    for (const name of ['second', 'third']) await write(name)
    await publish()
    await loseLeaves(app, org_id, 2)
    const found = await startProcess()
    const get = async (path: string) => (await found.reader.get(`/log/${ORG}/${path}`)).status
    for (const path of [
      'checkpoint',
      'proof?index=0',
      'consistency?from_size=1&to_size=2',
      'tiles/1/checkpoint',
    ])
      expect([path, await get(path)]).toEqual([path, 503])
    const readable = [
      'keys',
      'leaves',
      'bodies/1',
      'leaf?index=1',
      'witnesses',
      'tiles/1/tile/entries/000.p/2',
    ]
    for (const path of [...readable, 'tiles/1/tile/0/000.p/2', 'status'])
      expect([path, await get(path)]).toEqual([path, 200])
    const { body } = await found.reader.get(`/log/${ORG}/status`)
    expect(body).toMatchObject({ state: 'frozen', keys: [{ vkey: expect.any(String) }] })
  })

  it('is noticed when the evidence store has lost the checkpoint', async () => {
    await publish()
    rmSync(join(app.evidence_dir, 'log'), { recursive: true })
    const found = await startProcess()
    const { status, body } = await found.reader.get(`/log/${ORG}/checkpoint`)
    expect([status, body.message]).toEqual([503, expect.stringContaining('does not have the newest one')])
  })

  it('is signed again as a new log, whose first leaf names the old one', async () => {
    for (const name of ['second', 'third']) await write(name)
    await publish()
    const { note, origin, size } = await readNote()
    const { body: first } = await app.reader.get(`/log/${ORG}/leaves?start=1&count=1`)
    const [, event] = /\nevent (.*)\n/.exec(first.leaves[0].leaf) ?? []
    await loseLeaves(app, org_id, 2)
    expect((await app.reader.get(`/log/${ORG}/checkpoint`)).status).toBe(503)
    const { code, stdout, stderr } = await runLog(app, 'reopen', ORG, '--reason', 'restored from a backup')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^opened the log .*\/2\n$/)
    // The service checks it again after a while.
    app.clock.advance(11_000)
    expect((await write('new')).status).toBe(201)
    const opened = await readNote()
    expect(opened.origin).toBe(origin.replace(/1$/, '2'))
    const { body } = await app.reader.get(`/log/${ORG}/bodies/0`)
    const { kind, data } = JSON.parse(body.body)
    expect(kind).toBe('log_reopened')
    expect(data).toMatchObject({ reason: 'restored from a backup', previous: { origin, size: size - 2 } })
    expect(parseNote(data.previous.checkpoint)).toEqual(note)
    await publish()
    expect(await readAnchors()).toEqual([`2-${String(opened.size).padStart(16, '0')}`])
    // Another leaf has its number in the new log.
    const proof = await app.reader.get(`/log/${ORG}/proof?event=${event}`)
    expect([proof.status, proof.body.message]).toEqual([
      404,
      expect.stringMatching(/^It is leaf 1 of log 1, /),
    ])
    const place = await app.reader.get(`/log/${ORG}/leaf?event=${event}`)
    expect(place.body).toMatchObject({ epoch: 1, index: 1, checkpoint_size: null })
    // Mirrors of the old log still find the signed data.
    const old = await app.reader.get(`/log/${ORG}/tiles/1/checkpoint`)
    expect(parseNote(old.text)).toEqual(note)
  })
})

describe('a changed tree', () => {
  it.each([
    [
      'the checkpoint',
      'update log_checkpoints set root = sha256($$$$) where org_id = $1',
      /checkpoint of \d+ leaves does not match/,
    ],
    ['the end of the log', '', /was signed, and the log has/],
  ])('is found by the check: %s', async (_, change, problem) => {
    await publish()
    if (change === '') await loseLeaves(app, org_id, 1)
    else await app.sql(change, [org_id])
    expect((await findLogProblems(makeOwnerDb(app.owner))).join('\n')).toMatch(problem)
  })
})

describe('the keys of a log', () => {
  const readKeys = async () => (await app.reader.get(`/log/${ORG}/keys`)).body.keys as { vkey: string }[]

  it('are replaced: both sign, the old one vouches for the leaf of the new one, and is retired', async () => {
    const before = await readNote()
    expect((await runLog(app, 'rotate-key', ORG)).stdout).toMatch(
      /^added the key [0-9a-f]{8} to the log of acme\n$/,
    )
    // The admin program uses the database's clock.
    await app.sql('update log_keys set added_at = $1', [app.clock.now()])
    const [old_key, new_key] = (await readKeys()).map(({ vkey }) => parseVerifierKey(vkey))
    const rotated = await readNote()
    expect(rotated.size).toBe(before.size + 1)
    expect(verifyNote(rotated.note, [old_key ?? expect.fail()])).toHaveLength(1)
    expect(verifyNote(rotated.note, [new_key ?? expect.fail()])).toHaveLength(1)
    const { body } = await app.reader.get(`/log/${ORG}/bodies/${before.size}`)
    const { kind, data } = JSON.parse(body.body)
    expect([kind, parseVerifierKey(data.vkey)]).toEqual(['log_key_added', new_key])
    app.clock.advance(OVERLAP_MS + 60_000)
    const retired = await readNote()
    expect(retired.note.signatures.map(({ id }) => id)).toEqual([new_key?.id])
    expect((await app.readEvents('log_key_retired')).map(event => event.data.vkey)).toEqual([
      (await readKeys())[0]?.vkey,
    ])
  })

  it('can be retired immediately, except for the only one', async () => {
    const [first] = await readKeys()
    const { id } = parseVerifierKey(String(first?.vkey))
    expect(await runLog(app, 'retire-key', ORG, id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is the only key'),
    })
    await runLog(app, 'rotate-key', ORG)
    expect((await runLog(app, 'retire-key', ORG, id)).stdout).toBe(
      `retired the key ${id} of the log of acme\n`,
    )
    const { note } = await readNote()
    expect(note.signatures.map(signature => signature.id)).not.toContain(id)
  })
})
