// The witnesses of a log, each in its own process: their cosignatures are served, and a rewritten log is noticed.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  endorse,
  parseCheckpoint,
  parseNote,
  parsePolicy,
  parseProofFile,
  provesInclusion,
} from '@waybill/transparency-log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { findLogProblems } from '../src/log/check.ts'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import { loseLeaves } from './lost-leaves.ts'
import { until } from './patience.ts'
import { makeDataDirectory, startService } from './service.ts'
import { askNow, passHour, passMinute, startWitness, type TestWitness } from './witnesses.ts'

let auditor: TestWitness
let bank: TestWitness
let app: TestApp
let org_id: string
let log_key: string
let policy: string
/** The log of each test has the same name, so each needs witnesses that have seen nothing. */
beforeEach(async () => {
  ;[auditor, bank] = await Promise.all([startWitness('auditor.example/w1'), startWitness('bank.example/w1')])
  policy = buildPolicy()
  app = await start(policy)
})
afterEach(async () => {
  await Promise.all([auditor.kill(), bank.kill(), app.stop()])
})

const buildPolicy = () =>
  `${buildLine('auditor', auditor)}\n${buildLine('bank', bank)}\ngroup both all auditor bank\nquorum both\n`
const buildLine = (name: string, { vkey, url }: { vkey: string; url: string }) =>
  `witness ${name} ${vkey} ${url}`

async function start(text: string): Promise<TestApp> {
  const started = await startTestApp({ settings: { WAYBILL_LOG_POLICY: text } })
  org_id = String((await started.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  const { body } = await started.reader.get(`/log/${ORG}/keys`)
  log_key = body.keys[0].vkey
  for (const witness of [auditor, bank]) witness.trust(log_key)
  // Only this log counts: the seed has others.
  await started.sql('delete from log_heads where org_id <> $1', [org_id])
  return started
}

let written = 0
const write = async (number = 1) => {
  for (let i = 0; i < number; i++) {
    const { status } = await app.admin.put(`/flows/${ORG}`, { name: `flow-${written++}`, description: '' })
    expect(status).toBe(201)
  }
}

const ask = (text = policy) => askNow(app, text)
const readNote = async (query = '') => {
  const { status, text } = await app.reader.get(`/log/${ORG}/checkpoint${query}`)
  expect(status, text).toBe(200)
  const note = parseNote(text)
  return { ...parseCheckpoint(note.text), note }
}
const readWitnesses = async () => (await app.reader.get(`/log/${ORG}/witnesses`)).body.witnesses
const trusting = (text = policy) => parsePolicy(`log ${log_key}\n${text}`)

describe('the checkpoint of a log', () => {
  it('is cosigned by the witnesses, who are listed with the size they have seen', async () => {
    await write(3)
    await ask()
    const { note, size } = await readNote()
    expect(endorse(trusting(), note)).toMatchObject({
      has_quorum: true,
      witnesses: [{ name: 'auditor' }, { name: 'bank' }],
    })
    const state = { size, state: 'ok', message: expect.any(String), cosigned_at: expect.any(Number) }
    expect(await readWitnesses()).toEqual([
      { name: 'auditor', vkey: auditor.vkey, ...state },
      { name: 'bank', vkey: bank.vkey, ...state },
    ])
    expect(await findLogProblems(makeOwnerDb(app.owner))).toEqual([])
  })

  it('is the newest one with a quorum, and the newest of all on request', async () => {
    await write()
    await ask()
    const cosigned = await readNote()
    await write(2)
    expect(await readNote()).toEqual(cosigned)
    const tile = await app.reader.get(`/log/${ORG}/tiles/1/checkpoint`)
    expect(parseNote(tile.text)).toEqual(cosigned.note)
    const newest = await readNote('?newest=true')
    expect(newest.size).toBe(cosigned.size + 2)
    expect(endorse(trusting(), newest.note)).toMatchObject({ has_quorum: false, witnesses: [] })
    await passMinute(app)
    await ask()
    expect((await readNote()).size).toBe(newest.size)
  })

  it('is the newest of all if the policy requires no cosignature, with the ones it has', async () => {
    const none = policy.replace('quorum both', 'quorum none')
    const beside = await startTestApp({ beside: app, settings: { WAYBILL_LOG_POLICY: none } })
    try {
      await ask(none)
      const read = async () => parseNote((await beside.reader.get(`/log/${ORG}/checkpoint`)).text)
      expect(endorse(trusting(none), await read()).witnesses).toHaveLength(2)
      await write()
      expect(endorse(trusting(none), await read()).witnesses).toHaveLength(0)
    } finally {
      await beside.stop()
    }
  })

  it('proves a leaf with its cosignatures, as soon as they cover it', async () => {
    await write()
    await ask()
    const { size } = await readNote()
    await write()
    const prove = async (query: string) => {
      const { status, text } = await app.reader.get(`/log/${ORG}/proof?${query}`)
      expect(status, text).toBe(200)
      const proof = parseProofFile(text)
      const leaf = await app.reader.get(`/log/${ORG}/leaves?start=${proof.index}`)
      expect(provesInclusion(proof, Buffer.from(leaf.body.leaves[0].hash, 'base64'))).toBe(true)
      return endorse(trusting(), proof.checkpoint)
    }
    expect(await prove('index=0')).toMatchObject({ has_quorum: true })
    expect(await prove(`index=0&size=${size}`)).toMatchObject({ has_quorum: true })
    expect(await prove(`index=${size}`)).toMatchObject({ has_quorum: false })
    await passMinute(app)
    await ask()
    expect(await prove(`index=${size}`)).toMatchObject({ has_quorum: true })
  })

  it('stays the same without a policy, and no witnesses are listed', async () => {
    const plain = await startTestApp({ beside: app })
    try {
      await ask()
      const { text } = await plain.reader.get(`/log/${ORG}/checkpoint`)
      expect(parseNote(text).signatures).toHaveLength(1)
      expect((await plain.reader.get(`/log/${ORG}/witnesses`)).body.witnesses).toEqual([])
    } finally {
      await plain.stop()
    }
  })

  it('is cosigned later by a witness that was down, and both cosignatures are in one note', async () => {
    await bank.kill()
    await write()
    await ask()
    expect(await readWitnesses()).toMatchObject(
      [
        { state: 'ok' },
        { state: 'unreachable', size: 0, cosigned_at: null, message: /^The witness cannot be reached/ },
      ].map(row =>
        typeof row.message === 'object' ? { ...row, message: expect.stringMatching(row.message) } : row,
      ),
    )
    const { note } = await readNote('?newest=true')
    expect(endorse(trusting(), note)).toMatchObject({ has_quorum: false, witnesses: [{ name: 'auditor' }] })
    bank = await startWitness(undefined, bank.folder)
    policy = buildPolicy()
    await passMinute(app)
    await ask()
    expect(endorse(trusting(), (await readNote()).note).has_quorum).toBe(true)
  })
})

describe('a log that was rewritten', () => {
  /** As somebody with the database, the key and the evidence store could do. */
  async function rewrite(lost: number, added: number, forget_witnesses = false): Promise<void> {
    await loseLeaves(app, org_id, lost)
    for (const table of ['log_checkpoints', 'log_cosigned', ...(forget_witnesses ? ['log_witnesses'] : [])])
      await app.sql(`delete from ${table}`)
    rmSync(join(app.evidence_dir, 'log'), { recursive: true, force: true })
    await write(added)
  }

  it.each([
    [
      'is longer now',
      2,
      4,
      false,
      /^The witness has cosigned \d+ leaves of this log, and the \d+ leaves of now do not begin/,
    ],
    ['is longer now, and its database has forgotten the witnesses', 2, 4, true, /do not begin with them$/],
    [
      'is as long as it was',
      2,
      2,
      false,
      /^The witness has cosigned another log of the same name and of \d+ leaves$/,
    ],
    [
      'is as long as it was, and its database has forgotten the witnesses',
      2,
      2,
      true,
      /another log of the same name/,
    ],
    [
      'is shorter now',
      2,
      0,
      false,
      /^The witness has cosigned \d+ leaves of this log, which now has only \d+$/,
    ],
    ['is shorter now, and its database has forgotten the witnesses', 2, 1, true, /which now has only/],
  ])('raises the alarm if it %s', async (_, lost, added, forget, sentence) => {
    await write(3)
    await ask()
    await rewrite(lost, added, forget)
    // Even a log that has not grown is shown to the witnesses once an hour.
    await passHour(app)
    await ask()
    const [witness] = await readWitnesses()
    expect(witness).toMatchObject({ state: 'fork', message: expect.stringMatching(sentence) })
    const events = await app.readEvents('log_fork_reported')
    expect(events.map(({ actor, data }) => [actor, data.witness, data.message])).toEqual([
      ['waybill', 'auditor', witness.message],
      ['waybill', 'bank', witness.message],
    ])
    const ready = await app.anonymous.get('/ready')
    expect([ready.status, ready.text]).toEqual([
      200,
      expect.stringContaining(`log of organization ${org_id}`),
    ])
    // Reported once. Writes continue.
    await write()
    await passMinute(app)
    await ask()
    expect(await app.readEvents('log_fork_reported')).toHaveLength(2)
  })
})

describe('the service', () => {
  it('cosigns its own checkpoints', async () => {
    const witness = await startWitness('end.example/w1')
    const text = `${buildLine('end', witness)}\nquorum end\n`
    const service = await startService({
      data_dir: makeDataDirectory(),
      env: { WAYBILL_LOG_POLICY: text, WAYBILL_DNS_SERVER: '127.0.0.1:9' },
    })
    const get = (path: string) => service.call('GET', `/api/v2/log/demo-org/${path}`, { key: service.key })
    const vkey = JSON.parse((await get('keys')).text).keys[0].vkey
    expect(vkey).not.toBe('')
    witness.trust(vkey)
    const created = await service.call('PUT', '/api/v2/flows/demo-org', {
      key: service.key,
      body: { name: 'shipping', description: '' },
    })
    expect(created.status).toBe(201)
    await until(async () => parseNote((await get('checkpoint')).text).signatures.length === 2)
    const note = parseNote((await get('checkpoint')).text)
    expect(endorse(parsePolicy(`log ${vkey}\n${text}`), note)).toMatchObject({ has_quorum: true })
    expect(JSON.parse((await get('witnesses')).text).witnesses).toMatchObject([{ name: 'end', state: 'ok' }])
    service.signal('SIGTERM')
    await service.ended
  })
})
