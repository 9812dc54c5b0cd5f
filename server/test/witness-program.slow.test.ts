// `waybill witness` as an auditor runs it: its own process, folder and key. It is killed, started twice and lied to.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  computeRoot,
  formatCheckpoint,
  formatVerifierKey,
  formatWitnessRequest,
  generateKey,
  hashLeaf,
  hashRanges,
  listConsistencyRanges,
  parseVerifierKey,
  readCosignature,
  signNote,
} from '@waybill/transparency-log'
import { beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../src/lib/clock.ts'
import { openWitnessState } from '../src/witness/state.ts'
import { makeWitness } from '../src/witness/witness.ts'
import { makeScratchFolder, runProgram } from './service.ts'
import { startWitness, type TestWitness } from './witnesses.ts'

const log = generateKey('log.example/acme', 'note')
const LOG = formatVerifierKey(log)
const leaves = Array.from({ length: 300 }, (_, i) => hashLeaf(Buffer.from(`leaf ${i}`)))
const others = leaves.map(hash => hashLeaf(hash))
const LATEST_S = Number.MAX_SAFE_INTEGER

const formatSize = (size: number, of = leaves) =>
  formatCheckpoint({ origin: log.name, size, root: computeRoot(of.slice(0, size)) })

async function makeRequest(old_size: number, size: number, of = leaves): Promise<string> {
  const proof = await hashRanges(listConsistencyRanges(old_size, size), async subtrees =>
    subtrees.map(({ level, number }) =>
      computeRoot(of.slice(number * 2 ** level, (number + 1) * 2 ** level)),
    ),
  )
  return formatWitnessRequest({ old_size, proof, checkpoint: await signNote(formatSize(size, of), [log]) })
}

let witness: TestWitness
beforeEach(async () => {
  witness = await startWitness('witness.example/w1')
  witness.trust(LOG)
})

const send = async (old_size: number, size: number, of = leaves) =>
  witness.post(await makeRequest(old_size, size, of))
const restart = async () => {
  await witness.kill()
  witness = await startWitness(undefined, witness.folder)
}

describe('a witness', () => {
  it('prints its name, key and address, and cosigns', async () => {
    expect(witness.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const key = parseVerifierKey(witness.vkey)
    expect(key).toMatchObject({ name: 'witness.example/w1', type: 'cosignature' })
    for (const [old_size, size] of [
      [0, 3],
      [3, 8],
      [8, 8],
      [8, 300],
    ] as const) {
      const { status, text } = await send(old_size, size)
      expect(status, text).toBe(200)
      expect(readCosignature(formatSize(size), text, key, LATEST_S).time_s).toBeGreaterThan(1_700_000_000)
    }
  })

  it('returns the status codes of the protocol', async () => {
    await send(0, 8)
    expect(await send(3, 9)).toEqual({ status: 409, type: 'text/x.tlog.size', text: '8\n' })
    expect(await send(0, 5)).toEqual({ status: 409, type: 'text/x.tlog.size', text: '8\n' })
    expect(await send(8, 8, others)).toEqual({ status: 409, type: 'text/x.tlog.size', text: '8\n' })
    expect(await send(8, 9, others)).toMatchObject({ status: 422 })
    expect(await witness.post((await makeRequest(8, 9)).replace('old 8', 'old 10'))).toMatchObject({
      status: 400,
    })
    expect(await witness.post((await makeRequest(8, 9)).replaceAll('acme', 'evil'))).toMatchObject({
      status: 404,
    })
    expect(await witness.post((await makeRequest(8, 9)).replace('\n9\n', '\n10\n'))).toMatchObject({
      status: 403,
    })
    for (const body of ['', 'x', 'x'.repeat(100_000)]) expect((await witness.post(body)).status).toBe(400)
    const invalid = await fetch(`${witness.url}/add-checkpoint`, {
      method: 'POST',
      body: Buffer.from([0xff]),
    })
    expect(invalid.status).toBe(400)
    expect((await fetch(`${witness.url}/add-checkpoint`)).status).toBe(404)
    expect((await send(8, 9)).status).toBe(200)
    expect(witness.stdout()).toContain('refused: This witness has cosigned another root of size 8')
  })

  it("keeps its key and its logs' states when it is killed", async () => {
    const { vkey } = witness
    await send(0, 8)
    await restart()
    expect(witness.vkey).toBe(vkey)
    expect(await send(0, 9)).toMatchObject({ status: 409, text: '8\n' })
    expect((await send(8, 9)).status).toBe(200)
  })

  it('that is killed while it works never goes back behind a response', async () => {
    let answered = 0
    for (let kills = 0; kills < 5; kills++) {
      let sending = true
      const sender = (async () => {
        for (let size = answered + 1; sending; size++) {
          const { status, text } = await send(Math.max(answered, size - 1), size).catch(() => ({
            status: 0,
            text: '',
          }))
          if (status === 0) return
          if (status === 200) answered = size
          // A response was lost: the witness has more than we know.
          else answered = Math.max(answered, Number(text))
        }
      })()
      const target = answered + 3
      while (answered < target) await new Promise(resolve => setImmediate(resolve))
      await witness.kill()
      sending = false
      await sender
      witness = await startWitness(undefined, witness.folder)
      const { status, text } = await send(0, 300)
      expect([status, Number(text) >= answered]).toEqual([409, true])
      answered = Number(text)
      expect((await send(answered, answered + 1, others)).status).toBe(422)
    }
  })

  it('that ends between storing and responding continues with its stored state', async () => {
    await witness.kill()
    const state = await openWitnessState(join(witness.folder, 'state'), undefined)
    const parts = { clock: systemClock, readLogs: async () => [log], print: () => undefined }
    await makeWitness({ state, ...parts }).addCheckpoint(await makeRequest(0, 8))
    // Nobody got the response.
    await state.close()
    witness = await startWitness(undefined, witness.folder)
    expect(await send(0, 8)).toMatchObject({ status: 409, text: '8\n' })
    expect((await send(8, 9, others)).status).toBe(422)
    expect((await send(8, 8)).status).toBe(200)
  })

  it('stores before it cosigns, and cosigns nothing that it could not store', async () => {
    await witness.kill()
    const folder = join(witness.folder, 'state')
    const opened = await openWitnessState(folder, undefined)
    const parts = { clock: systemClock, readLogs: async () => [log], print: () => undefined }
    const full = { ...opened, store: async () => Promise.reject(new Error('disk full')) }
    await expect(
      makeWitness({ state: full, ...parts }).addCheckpoint(await makeRequest(0, 8)),
    ).rejects.toThrow('disk full')
    const { status } = await makeWitness({ state: opened, ...parts }).addCheckpoint(await makeRequest(0, 5))
    expect(status).toBe(200)
    await opened.close()
  })

  it('takes one request after the other, so that none goes back behind another', async () => {
    await send(0, 8)
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(8, 9 + i)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })

  it('rereads the logs that it trusts, and refuses while they are unreadable', async () => {
    witness.trust()
    expect((await send(0, 1)).status).toBe(404)
    witness.trust('nonsense')
    expect(await send(0, 1)).toMatchObject({ status: 500, text: 'The witness has a problem\n' })
    witness.trust(LOG)
    expect((await send(0, 1)).status).toBe(200)
  })

  it('cosigns nothing if its stored state is damaged', async () => {
    await send(0, 8)
    const folder = join(witness.folder, 'state', 'logs')
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'nonsense')
    expect((await send(0, 8)).status).toBe(500)
    expect(witness.stdout()).toMatch(/^failed: .* is damaged: it is not a checkpoint of log\.example\/acme$/m)
  })
})

describe('a witness does not start', () => {
  const run = (...args: string[]) => runProgram(['witness', ...args], { data_dir: makeScratchFolder() })
  const here = () => ['--state', join(witness.folder, 'state'), '--logs', join(witness.folder, 'logs.txt')]
  const free = ['--listen', '127.0.0.1:0']

  it('in a folder that another one uses', async () => {
    const { code, stderr } = await run(...here(), ...free)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^The folder .* is in use by another witness\n$/),
    ])
  })

  it.each([
    [
      'without a name the first time',
      () => ['--state', makeScratchFolder(), '--logs', '/dev/null', ...free],
      /^A new witness needs a name/,
    ],
    [
      'with a name that is none',
      () => ['--state', makeScratchFolder(), '--logs', '/dev/null', '--name', 'a b', ...free],
      /cannot name a key/,
    ],
    [
      'without its logs',
      () => ['--state', makeScratchFolder(), '--logs', '/no/such/file', '--name', 'w', ...free],
      /^The logs cannot be read/,
    ],
    [
      'with an address that is none',
      () => [...here(), '--listen', '127.0.0.1'],
      /^--listen must be an address and a port/,
    ],
  ])('%s', async (_, args, sentence) => {
    const { code, stderr } = await run(...args())
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)])
  })

  it.each([
    [
      'under another name',
      undefined,
      ['--name', 'other'],
      /^The witness in this folder is named witness\.example\/w1, not other/,
    ],
    ['on a port that is taken', undefined, [], /^Cannot listen on /],
    ['with a damaged key', 'key', [], /key is damaged/],
  ])('%s', async (_, damaged, more, sentence) => {
    const { host } = new URL(witness.url)
    const listen = sentence.source.includes('listen') ? host : '127.0.0.1:0'
    const taken = sentence.source.includes('listen')
      ? ['--state', makeScratchFolder(), '--name', 'w', '--logs', '/dev/null']
      : here()
    if (listen === '127.0.0.1:0') await witness.kill()
    if (damaged) writeFileSync(join(witness.folder, 'state', damaged), 'w\nnonsense')
    const { code, stderr } = await run(...taken, '--listen', listen, ...more)
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)])
  })
})
