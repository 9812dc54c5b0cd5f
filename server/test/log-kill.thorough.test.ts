// `kill -9` of a service under 32 writers, and of its PostgreSQL: every acknowledged leaf is still in the log, every
// returned proof fits it, and no two checkpoints contradict each other. `npm run test:thorough -- kills` does it 200
// times.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  hashLeaf,
  parseCheckpoint,
  parseProofFile,
  parseVerifierKey,
  provesInclusion,
  verifyNote,
} from '@waybill/transparency-log'
import { expect, it } from 'vitest'
import { formatLeaf } from '../src/domain/log/leaf.ts'
import { buildTree } from '../src/verifier/tree.ts'
import { readCopy } from './log-copy.ts'
import { until } from './patience.ts'
import {
  findFreePort,
  killPostmaster,
  makeDataDirectory,
  makeScratchFolder,
  runProgram,
  type Service,
  startService,
} from './service.ts'

const KILLS = Number(process.env.LOG_KILLS ?? 20)
const WRITERS = 32
const MAX_DELAY_MS = 250
const LOG = '/api/v2/log/demo-org'
const SETTINGS = { WAYBILL_LOG_LEVEL: 'error', WAYBILL_DNS_SERVER: '127.0.0.1:9' }
const TILE_WIDTH = 256

/** The leaf data in the response to a write. */
interface Acknowledged {
  index: number
  leaf_hash: string
  proof: string
}

it('kills lose no acknowledged leaf, invalidate no proof and fork no log', async () => {
  const data_dir = makeDataDirectory()
  const port = await findFreePort()
  const acknowledged: Acknowledged[] = []
  let key = ''
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await startService({ data_dir, port, env: SETTINGS })
    key = service.key ?? key
    if (kill === 0) await makeFlow(service, key)
    let answers = 0
    const writers = Array.from({ length: WRITERS }, (_, i) =>
      write(service, key, `${kill}-${i}`, () => {
        answers += 1
      }),
    )
    await until(() => answers > 0)
    await sleep(Math.random() * MAX_DELAY_MS)
    service.signal('SIGKILL')
    if (kill % 2 === 0) killPostmaster(data_dir, 'SIGKILL')
    await service.ended
    acknowledged.push(...(await Promise.all(writers)).flat())
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS)
  const service = await startService({ data_dir, port, env: SETTINGS })
  const vkey = JSON.parse((await service.call('GET', `${LOG}/keys`, { key })).text).keys[0].vkey
  const folder = await fetchAndVerify(service, key, vkey)
  expectAllThere(folder, vkey, acknowledged)
})

async function makeFlow(service: Service, key: string): Promise<void> {
  const body = { name: 'kills', description: '' }
  expect((await service.call('PUT', '/api/v2/flows/demo-org', { key, body })).status).toBe(201)
}

/** Begins one trail after another until the service stops responding. */
async function write(
  service: Service,
  key: string,
  writer: string,
  onAcknowledged: () => void,
): Promise<Acknowledged[]> {
  const all: Acknowledged[] = []
  for (let i = 0; ; i++) {
    const options = { key, body: { name: `${writer}-${i}` }, headers: { prefer: 'waybill-proof' } }
    try {
      const { status, headers } = await service.call('PUT', '/api/v2/trails/demo-org/kills', options)
      if (status !== 201) continue
      const [, index, leaf_hash = ''] =
        /^index=(\d+), .*leaf="(.*)"$/.exec(String(headers['waybill-log'])) ?? []
      const proof = Buffer.from(String(headers['waybill-log-proof'] ?? ''), 'base64url').toString()
      all.push({ index: Number(index), leaf_hash, proof })
      onAcknowledged()
    } catch {
      // Killed: this one was not acknowledged, so it may or may not be stored.
      return all
    }
  }
}

async function fetchAndVerify(service: Service, key: string, vkey: string): Promise<string> {
  const folder = makeScratchFolder()
  const run = (...args: string[]) =>
    runProgram(args, { data_dir: service.data_dir, env: { ...SETTINGS, WAYBILL_API_KEY: key } })
  const fetched = await run('log', 'fetch', `${service.url}${LOG}`, folder)
  expect([fetched.code, fetched.stderr]).toEqual([0, ''])
  const verified = await run('verify', folder, '--vkey', vkey)
  expect([verified.code, verified.stderr], verified.stdout).toEqual([0, ''])
  return folder
}

function expectAllThere(folder: string, vkey: string, acknowledged: readonly Acknowledged[]): void {
  const hashes = readCopy(folder).leaves.map(leaf => hashLeaf(Buffer.from(formatLeaf(leaf))))
  // A proof is missing only if the tree could not be signed in time; the leaf is still there.
  const proofs = acknowledged.filter(({ proof }) => proof !== '')
  expect(proofs.length).toBeGreaterThan(0)
  const checkpoints = proofs.map(({ proof }) => parseProofFile(proof).checkpoint)
  const tree = buildTree(new Set(checkpoints.map(({ text }) => parseCheckpoint(text).size)))
  for (let at = 0; at < hashes.length; at += TILE_WIDTH) tree.add(hashes.slice(at, at + TILE_WIDTH))
  const { roots } = tree.finish()
  const lost = acknowledged.filter(({ index, leaf_hash }) => hashes[index]?.toString('base64') !== leaf_hash)
  expect(lost).toEqual([])
  const forked = checkpoints.filter(({ text }) => {
    const { size, root } = parseCheckpoint(text)
    return !roots.get(size)?.equals(root)
  })
  expect(forked).toEqual([])
  const key = parseVerifierKey(vkey)
  const invalid = proofs.filter(({ proof, leaf_hash }) => {
    const parsed = parseProofFile(proof)
    const isSigned = verifyNote(parsed.checkpoint, [key]).length === 1
    return !isSigned || !provesInclusion(parsed, Buffer.from(leaf_hash, 'base64'))
  })
  expect(invalid).toEqual([])
  process.stderr.write(
    `${KILLS} kills under ${WRITERS} writers: ${acknowledged.length} acknowledged writes and ${proofs.length} proofs, all in a log of ${hashes.length} leaves\n`,
  )
}
