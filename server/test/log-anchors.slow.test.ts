// Log anchors, on a disk and in a bucket: what happens while they cannot be reached, and afterwards.
import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatNote, parseCheckpoint, parseNote } from '@waybill/transparency-log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EvidenceStore } from '../src/evidence/evidence.ts'
import { openEvidence } from '../src/evidence/open.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { listAnchors, nameAnchor } from '../src/log/anchors.ts'
import { compareAnchors, makeRounds } from '../src/log/compare-anchors.ts'
import { makeLogs } from '../src/log/logs.ts'
import { publishGrownLogs } from '../src/log/publish.ts'
import { makeEgressTo } from './egress.ts'
import { ORG, SECRET_KEY, startTestApp, type TestApp } from './harness.ts'
import { loseLeaves } from './lost-leaves.ts'
import { type S3Server, startS3Server } from './s3-server.ts'
import { makeScratchFolder } from './service.ts'

const UNANCHORED = 'checkpoints have not reached the evidence store for more than 10 minutes'

interface Place {
  evidence: EvidenceStore
  breakDown(): void
  repair(): void
}

let app: TestApp
let org_id: string
let s3: S3Server
beforeEach(async () => {
  s3 = await startS3Server('bucket')
  app = await startTestApp()
  org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  // Only this log counts: the seed has others.
  await app.sql('delete from log_heads where org_id <> $1', [org_id])
})
afterEach(async () => {
  await app.stop()
  await s3.stop()
})

const PLACES: [string, () => Promise<Place>][] = [
  [
    'on a disk',
    async () => {
      const folder = join(app.evidence_dir, 'log')
      return {
        evidence: app.evidence,
        // A file in the place of the folder.
        breakDown: () => {
          renameSync(folder, `${folder}.away`)
          writeFileSync(folder, '')
        },
        repair: () => {
          rmSync(folder)
          renameSync(`${folder}.away`, folder)
        },
      }
    },
  ],
  [
    'in a bucket',
    async () => ({
      evidence: await openEvidence(
        {
          evidence_url: `s3://my-key:my-secret@bucket/some/prefix?endpoint=${s3.endpoint}&region=eu-west-1`,
          data_dir: makeScratchFolder(),
          s3_credentials: { access_key_id: undefined, secret_access_key: undefined },
        },
        randomUUID,
        app.clock.now(),
        makeEgressTo('127.0.0.1'),
      ),
      breakDown: () => {
        s3.failWith = () => 503
      },
      repair: () => {
        s3.failWith = () => undefined
      },
    }),
  ],
]

let written = 0
const write = async () => {
  const { status } = await app.admin.put(`/flows/${ORG}`, { name: `flow-${written++}`, description: '' })
  expect(status).toBe(201)
}

/** A process that has just started. */
function startProcess({ evidence }: Place) {
  const parts = { db: app.db, evidence, clock: app.clock, log: makeLog('silent') }
  const logs = makeLogs({ ...parts, sealer: makeSealer(SECRET_KEY), ids: makeIds(app.clock) })
  /** As the worker does every minute. */
  const compare = makeRounds({ ...parts, logs })
  return { logs, compare, publish: () => publishGrownLogs({ ...parts, logs }) }
}

const readNames = async ({ evidence }: Place) =>
  (await listAnchors(evidence.anchors, org_id)).map(({ name }) => name)
const readReady = async () => (await app.anonymous.get('/ready')).text

/** As if a leaf had waited that no published checkpoint covers. */
async function passElevenMinutes(): Promise<void> {
  await app.sql(
    `update log_leaves l set logged_ms = l.logged_ms - 11 * 60 * 1000
     where l.org_id = $1 and l.seq = (select max(c.size) from log_checkpoints c where c.org_id = $1)`,
    [org_id],
  )
}

describe.each(PLACES)('the anchor of a log, %s', (_, open) => {
  let place: Place
  let running: ReturnType<typeof startProcess>
  beforeEach(async () => {
    place = await open()
    running = startProcess(place)
    await write()
    await running.publish()
  })

  it('is only the newest checkpoint, and a starting process compares the log with it', async () => {
    for (let i = 0; i < 4; i++) {
      await write()
      await running.publish()
    }
    const { epoch, size, note } = await running.logs.sign(org_id)
    const [anchor, ...others] = await listAnchors(place.evidence.anchors, org_id)
    expect(others).toEqual([])
    expect(anchor).toMatchObject({ name: nameAnchor({ epoch, size }), text: formatNote(note) })
    expect((await startProcess(place).logs.sign(org_id)).size).toBe(size)
    await app.sql('update log_leaves set leaf_hash = sha256(leaf_hash) where org_id = $1 and seq = 1', [
      org_id,
    ])
    await expect(startProcess(place).logs.sign(org_id)).rejects.toThrow('are not those that were signed')
  })

  it('that cannot be reached stops no write, and stops signing only after ten minutes; then it catches up', async () => {
    const before = await readNames(place)
    place.breakDown()
    await write()
    await running.publish()
    expect(running.logs.counters.publishing_failures).toBe(1)
    // The running process remembers what it has read.
    const signed = await running.logs.sign(org_id)
    expect(await readReady()).not.toContain(UNANCHORED)
    await passElevenMinutes()
    await expect(running.logs.sign(org_id)).rejects.toMatchObject({ state: 'unanchored', reason: UNANCHORED })
    expect(await readReady()).toContain(`warning: log of organization ${org_id}: ${UNANCHORED}`)
    await write()
    await write()
    await running.publish()
    expect(running.logs.counters.publishing_failures).toBe(2)
    place.repair()
    expect(await readNames(place)).toEqual(before)
    await running.publish()
    const { epoch, size } = await running.logs.sign(org_id)
    expect(size).toBe(signed.size + 2)
    expect(await readNames(place)).toEqual([nameAnchor({ epoch, size })])
    expect(await readReady()).not.toContain(UNANCHORED)
  })

  it('that a starting process cannot reach: it signs nothing until it can, and writes continue', async () => {
    place.breakDown()
    const started = startProcess(place)
    await expect(started.logs.sign(org_id)).rejects.toThrow()
    expect(started.logs.listLost()).toEqual([])
    await write()
    place.repair()
    expect((await started.logs.sign(org_id)).size).toBe((await running.logs.sign(org_id)).size)
  })

  it('is compared while nothing is written: a database that was rolled back is noticed with one statement', async () => {
    // It knows no more than what is left.
    await running.logs.sign(org_id)
    const other = startProcess(place)
    await write()
    await write()
    await other.publish()
    await running.compare()
    expect(running.logs.listLost()).toEqual([])
    const { size } = await other.logs.sign(org_id)
    await loseLeaves(app, org_id, 2)
    expect((await running.logs.sign(org_id)).size).toBe(size - 2)
    const before = app.db.counters.statements
    await running.compare()
    expect(app.db.counters.statements).toBe(before + 1)
    const sentence = `the log has ${size - 2} leaves, and a checkpoint of ${size} leaves was signed`
    expect(running.logs.findProblem()).toBe(`log of organization ${org_id}: ${sentence}`)
    await expect(running.logs.sign(org_id)).rejects.toMatchObject({ state: 'frozen', reason: sentence })
    await write()
    await expect(running.logs.sign(org_id)).rejects.toMatchObject({ state: 'frozen' })
  })

  it('that is lost is noticed while nothing is written, and so is its return', async () => {
    const anchors = await place.evidence.anchors.list(org_id)
    for (const name of anchors.keys()) await place.evidence.anchors.remove(org_id, name)
    await running.compare()
    expect(running.logs.listLost()).toEqual([
      { org_id, sentence: 'checkpoints were signed, and the evidence store does not have the newest one' },
    ])
    for (const [name, text] of anchors) await place.evidence.anchors.add(org_id, name, text)
    await running.compare()
    expect(running.logs.listLost()).toEqual([])
  })

  it('that cannot be listed is no loss', async () => {
    place.breakDown()
    await running.compare()
    expect(running.logs.listLost()).toEqual([])
  })

  it('is replaced by several processes at once, and the newest remains', async () => {
    const others = [startProcess(place), startProcess(place)]
    for (let i = 0; i < 3; i++) {
      await write()
      await Promise.all([running, ...others].map(({ publish }) => publish()))
    }
    const { epoch, size } = await running.logs.sign(org_id)
    expect(await readNames(place)).toEqual([nameAnchor({ epoch, size })])
  })

  it('of the same size with another root is a fork: it stays, and nothing is stored', async () => {
    await write()
    const { epoch, size, note } = await running.logs.sign(org_id)
    const name = nameAnchor({ epoch, size })
    const { root } = parseCheckpoint(note.text)
    const forged = formatNote({
      ...note,
      text: note.text.replace(root.toString('base64'), Buffer.alloc(32, 1).toString('base64')),
    })
    await place.evidence.anchors.add(org_id, name, forged)
    const [stored] = await app.sql('select count(*)::int as n from log_checkpoints')
    await running.publish()
    expect(running.logs.counters.publishing_failures).toBe(1)
    const kept = (await place.evidence.anchors.list(org_id)).get(name) ?? ''
    expect(parseNote(kept)).toEqual(parseNote(forged))
    expect(await app.sql('select count(*)::int as n from log_checkpoints')).toEqual([stored])
  })
})

describe('a comparison with many anchors', () => {
  it('takes some at a time, and calls nothing lost that it has not looked for', async () => {
    const { evidence } = app
    const { publish } = startProcess({ evidence, breakDown: () => undefined, repair: () => undefined })
    await write()
    await publish()
    const run: Parameters<typeof compareAnchors>[1] = (statement, params) =>
      app.db.runOnce({ worker: true }, statement, params)
    // Sorts before all others.
    const foreign = { org_id: '00000000-0000-7000-8000-000000000000', name: '1-0000000000000001' }
    await evidence.anchors.add(foreign.org_id, foreign.name, '')
    const compare = (after: typeof foreign | undefined, limit: number) =>
      compareAnchors(evidence.anchors, run, { after, limit })
    expect(await compare(undefined, 1)).toEqual({ lost: [], unanchored: [], next: foreign })
    expect(await compare(undefined, 9)).toEqual({ lost: [], unanchored: [], next: undefined })
    await loseLeaves(app, org_id, 1)
    expect(await compare(undefined, 1)).toMatchObject({ lost: [] })
    expect(await compare(foreign, 1)).toMatchObject({ lost: [{ org_id }] })
  })
})

describe('a bucket', () => {
  it.each(['list', 'get', 'put', 'delete'])('that fails at %s stops no write, and is retried', async step => {
    const place = await (PLACES[1] ?? expect.fail())[1]()
    const { logs, publish } = startProcess(place)
    await publish()
    await write()
    s3.failWith = asked => (asked === step ? 500 : undefined)
    await publish()
    expect(logs.counters.publishing_failures).toBe(1)
    await write()
    s3.failWith = () => undefined
    await publish()
    const { epoch, size } = await logs.sign(org_id)
    expect(await readNames(place)).toEqual([nameAnchor({ epoch, size })])
    expect([...s3.objects.keys()]).toEqual([`some/prefix/log/${org_id}/${nameAnchor({ epoch, size })}`])
  })
})
