// An operator changes the database of a running service: anyone who downloads the log afterwards, or has kept a
// checkpoint, finds the change without the operator's help.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseProofFile, parseVerifierKey, provesInclusion, verifyNote } from '@waybill/transparency-log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { trust } from './altered-log.ts'
import { ORG, SECRET_KEY, startTestApp, type TestApp } from './harness.ts'
import { fetchInto, openLogKeys, readCopy, verifyFolder } from './log-copy.ts'
import { publishLogs } from './publish-logs.ts'
import { buildDatabaseUrl, makeDataDirectory, makeScratchFolder, runProgram } from './service.ts'

const HOUR_MS = 3_600_000
const WRITERS = 8
const ROTATIONS = 3

let app: TestApp
let org_id: string
const started: TestApp[] = []
beforeEach(async () => {
  app = await startTestApp()
  org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  for (const name of ['first', 'second', 'third']) await write(name)
})
afterEach(async () => {
  for (const process of started.splice(0)) await process.stop()
  await app.stop()
})

const write = (name: string, headers: Record<string, string> = {}) =>
  app.admin.call('PUT', `/flows/${ORG}`, { name, description: '' }, headers)

const readCheckpoint = async ({ reader }: TestApp) => {
  const { status, text } = await reader.get(`/log/${ORG}/checkpoint`)
  expect(status, text).toBe(200)
  return text
}

/** The result for somebody who downloads the log now, and has kept these checkpoints. */
async function audit(from: TestApp = app, kept: readonly string[] = []) {
  const folder = makeScratchFolder()
  await fetchInto(from, folder)
  const seen = new Map(kept.map((text, i) => [`kept-${i}`, text]))
  const [first] = await openLogKeys(app)
  const { verdict, findings } = await verifyFolder(folder, { policy: trust(first ? [first] : []), seen })
  const problems = findings.filter(({ level }) => level !== 'note')
  return { folder, verdict, found: problems.map(({ code, text }) => `${code} ${text}`) }
}

describe('an operator who changes recorded data', () => {
  const of_newest = `where event_id = (select event_id from log_leaves where org_id = $1 order by seq desc limit 1)`

  it.each([
    [
      'the data of an event',
      `update events set data = '{"flow_name": "other"}' ${of_newest}`,
      'V10',
      'is not what was recorded',
    ],
    ['who did it', `update events set actor = 'nobody' ${of_newest}`, 'V10', 'is not what was recorded'],
    ['a salt', `update events set salt = sha256('') ${of_newest}`, 'V10', 'is not what was recorded'],
    [
      'an event, by deleting it',
      `delete from events ${of_newest}`,
      'V10',
      'is missing and no erasure is recorded',
    ],
    ['a tag', `update log_leaves set tags = '' ${of_newest}`, 'V7', 'is not the one that was signed'],
    [
      'a leaf',
      `update log_leaves set kind = 'flow_updated' ${of_newest}`,
      'V7',
      'is not the one that was signed',
    ],
  ])('changes %s', async (_, change, code, sentence) => {
    await readCheckpoint(app)
    const [row] = await app.sql('select max(seq)::int as index from log_leaves where org_id = $1', [org_id])
    // The newest leaf added the key; the flow's leaf comes after it.
    await write('newest')
    expect((await audit()).verdict).toBe('shown')
    await app.sql(change, [org_id])
    const { verdict, found } = await audit()
    expect(verdict).toBe('false')
    const named = found.filter(text => text.includes(`leaf ${Number(row?.index) + 1} `))
    expect(named.map(text => text.slice(0, code.length + 1))).toContain(`${code} `)
    expect(named.join('\n')).toContain(sentence)
  })
})

describe('an operator who restores a backup and removes every trace of signed data', () => {
  const lose = async (number: number) => {
    await app.sql('update log_heads set size = size - $2 where org_id = $1', [org_id, number])
    const lost = 'l.org_id = $1 and h.org_id = l.org_id and l.seq >= h.size'
    await app.sql(
      `delete from events e using log_leaves l, log_heads h where e.event_id = l.event_id and ${lost}`,
      [org_id],
    )
    await app.sql(`delete from log_leaves l using log_heads h where ${lost}`, [org_id])
    await app.sql('delete from log_checkpoints where org_id = $1', [org_id])
    rmSync(join(app.evidence_dir, 'log'), { recursive: true, force: true })
    const process = await startTestApp({ beside: app })
    started.push(process)
    return process
  }

  it('shows an old state, which anyone with a checkpoint refuses', async () => {
    for (const name of ['fourth', 'fifth']) await write(name)
    const kept = await readCheckpoint(app)
    await write('sixth')
    await publishLogs(app)
    const restored = await lose(3)
    const { verdict, found } = await audit(restored, [kept])
    expect(verdict).toBe('false')
    expect(found.join('\n')).toMatch(/^V6 this is size \d+; you have seen \d+: an old state is being shown$/m)
  })

  it('continues with another history, which anyone with a checkpoint refuses', async () => {
    for (const name of ['fourth', 'fifth']) await write(name)
    const kept = await readCheckpoint(app)
    const restored = await lose(2)
    for (const name of ['other-4', 'other-5', 'other-6'])
      await restored.admin.put(`/flows/${ORG}`, { name, description: '' })
    const { verdict, found } = await audit(restored, [kept])
    expect(verdict).toBe('false')
    expect(found.join('\n')).toMatch(
      /^V5 checkpoint \d+ is not a prefix of checkpoint \d+: the log was rewritten$/m,
    )
    // Nobody else can tell.
    expect((await audit(restored)).verdict).toBe('shown')
  })
})

describe('a database clock that is set back an hour', () => {
  it('makes no leaf older than the previous one', async () => {
    // The time of the newest leaf comes from a clock an hour ahead of the database's current one.
    await app.sql('update log_heads set logged_ms = logged_ms + $2 where org_id = $1', [org_id, HOUR_MS])
    for (const name of ['fourth', 'fifth']) await write(name)
    const { folder, verdict } = await audit()
    expect(verdict).toBe('shown')
    const times = readCopy(folder).leaves.map(({ at_ms }) => at_ms)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(HOUR_MS)
  })
})

describe('keys that are replaced under load', () => {
  it('leave every proof valid, and a chain from the first key to the last', async () => {
    await readCheckpoint(app)
    const env = {
      DATABASE_URL: buildDatabaseUrl(app.database),
      WAYBILL_SECRET_KEY: SECRET_KEY,
      WAYBILL_EVIDENCE_URL: pathToFileURL(app.evidence_dir).href,
    }
    let isDone = false
    const proofs: { proof: string; leaf_hash: Buffer }[] = []
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let i = 0; !isDone; i++) {
        const { status, headers } = await write(`w-${writer}-${i}`, { prefer: 'waybill-proof' })
        expect(status).toBe(201)
        const [, hash = ''] = /leaf="(.*)"/.exec(String(headers['waybill-log'])) ?? []
        const proof = Buffer.from(String(headers['waybill-log-proof']), 'base64url').toString()
        proofs.push({ proof, leaf_hash: Buffer.from(hash, 'base64') })
      }
    })
    for (let i = 0; i < ROTATIONS; i++) {
      const rotated = await runProgram(['admin', 'log', 'rotate-key', ORG], {
        data_dir: makeDataDirectory(),
        env,
      })
      expect(rotated.code, rotated.stderr).toBe(0)
    }
    isDone = true
    await Promise.all(writers)
    const { body } = await app.reader.get(`/log/${ORG}/keys`)
    const keys = body.keys.map(({ vkey }: { vkey: string }) => parseVerifierKey(vkey))
    expect(keys).toHaveLength(1 + ROTATIONS)
    expect(proofs.length).toBeGreaterThanOrEqual(WRITERS)
    for (const { proof, leaf_hash } of proofs) {
      const parsed = parseProofFile(proof)
      expect(provesInclusion(parsed, leaf_hash)).toBe(true)
      expect(verifyNote(parsed.checkpoint, keys).length).toBeGreaterThan(0)
    }
    expect(await audit()).toMatchObject({ verdict: 'shown' })
  })
})
