// A fault at each statement of a write, of each kind: whatever is left behind, the log has no gap and no fork, every
// event has its leaf, and an acknowledged write is in the log.
import { FAULTS, type FaultProxy, startFaultProxy } from '@waybill/testing/statement-faults'
import { parseCheckpoint, parseNote } from '@waybill/transparency-log'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { findLogProblems } from '../src/log/check.ts'
import { makeEnvironment, report } from './environments.ts'
import { type Erasing, prepareErasure, readIndex } from './erasures.ts'
import { ORG, startTestApp, type TestApp, type TestResponse } from './harness.ts'
import { chooseRepetitions } from './repetitions.ts'

/** More than any of these writes sends. */
const MOST_STATEMENTS = 100
/** One run plants a fault at every third statement, and begins at a different one each time. */
const STRIDE = chooseRepetitions(3, 1)

let proxy: FaultProxy
let app: TestApp
let erasure: Erasing
const acknowledged: { index: number; hash: string }[] = []
beforeAll(async () => {
  proxy = await startFaultProxy(inject('cluster'))
  app = await startTestApp({ database_port: proxy.port })
  erasure = await prepareErasure(app)
  await erasure.beginTrail('attested')
  await makeEnvironment(app, 'prod')
})
afterAll(async () => {
  await app.stop()
  await proxy.stop()
})

const readNote = async ({ reader }: TestApp = app) => {
  const { status, text } = await reader.get(`/log/${ORG}/checkpoint`)
  expect(status, text).toBe(200)
  return parseCheckpoint(parseNote(text).text)
}

afterEach(async () => {
  expect(await findLogProblems(makeOwnerDb(app.owner))).toEqual([])
  const leaves = await app.sql(
    `select encode(leaf_hash, 'base64') as hash from log_leaves where org_id = $1 order by seq`,
    [erasure.org_id],
  )
  const hashes = leaves.map(({ hash }) => hash)
  expect(acknowledged.filter(({ index, hash }) => hashes[index] !== hash)).toEqual([])
  // Another process, which has signed nothing, reads the same.
  const beside = await startTestApp({ beside: app })
  expect(await readNote(beside)).toEqual(await readNote())
  await beside.stop()
})

let made = 0
const WRITES: [string, (name: string) => Promise<TestResponse>][] = [
  ['a change', name => app.admin.put(`/flows/${ORG}`, { name, description: '' })],
  ['a trail', name => erasure.beginTrail(name)],
  ['an attestation', () => erasure.attest('attested')],
  ['an artifact', () => erasure.reportArtifact('attested')],
  ['a report', () => report(app, 'prod', (made++).toString(16).padStart(4, '0'))],
  ['an erasure', () => eraseTrail()],
]

/** Erases a trail that was begun before the faults. */
let begun = 0
const eraseTrail = () => erasure.erase(begun)

describe.each(WRITES)('%s', (what, write) => {
  it.each(FAULTS)('that is %s at any statement leaves the log intact', async fault => {
    const statuses: number[] = []
    for (let statement = Math.floor(Math.random() * STRIDE); ; statement += STRIDE) {
      if (what === 'an erasure') begun = readIndex(await erasure.beginTrail(`erased-${fault}-${statement}`))
      const name = `${fault}-${statement}`
      proxy.plant(fault, statement)
      const answer = await write(name)
      const has_happened = proxy.remove()
      note(answer)
      if (!has_happened) break
      statuses.push(answer.status)
      // The same again, as a client would: nothing left behind prevents it.
      const again = await write(name)
      expect([200, 201, 202, 410], again.text).toContain(again.status)
      note(again)
      expect(statement).toBeLessThan(MOST_STATEMENTS)
    }
    expect(statuses.length * STRIDE).toBeGreaterThan(5)
    // On a busy machine a fault may hit a statement that the service sends beside the write.
    const failed = statuses.filter(status => status >= 300)
    expect(new Set(failed)).toEqual(new Set([fault === 'refused' ? 500 : 503]))
  })
})

/** The leaf data in the response to a write. */
function note({ headers, status }: TestResponse): void {
  const [, index, hash = ''] = /^index=(\d+), .*leaf="(.*)"$/.exec(String(headers['waybill-log'])) ?? []
  if (status < 300 && index !== undefined) acknowledged.push({ index: Number(index), hash })
}
