// The rules of a witness, tested with every history of a small log, and with requests that break each rule.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  computeRoot,
  EMPTY_ROOT,
  formatCheckpoint,
  formatNote,
  formatSignature,
  formatWitnessRequest,
  generateKey,
  hashLeaf,
  hashRanges,
  judgeCheckpoint,
  listConsistencyRanges,
  NOTHING_SEEN,
  parseToldSize,
  readCosignature,
  type SeenTree,
  type Subtree,
  signNote,
} from './index.ts'

const ORIGIN = 'log.example/acme'
const log = generateKey(ORIGIN, 'note')
const thief = generateKey(ORIGIN, 'note')
const witness = generateKey('witness.example/w1', 'cosignature')

type Leaves = readonly Buffer[]
const makeLeaves = (size: number, mark = '') =>
  Array.from({ length: size }, (_, i) => hashLeaf(Buffer.from(`leaf ${i}${mark}`)))
const see = (leaves: Leaves): SeenTree => ({ size: leaves.length, root: computeRoot(leaves) })

const prove = (leaves: Leaves, from: number) =>
  hashRanges(listConsistencyRanges(from, leaves.length), async subtrees =>
    subtrees.map(({ level, number }: Subtree) =>
      computeRoot(leaves.slice(number * 2 ** level, (number + 1) * 2 ** level)),
    ),
  )

const sign = (leaves: Leaves, key = log, origin = ORIGIN) =>
  signNote(formatCheckpoint({ origin, ...see(leaves) }), [key])

async function makeRequest(leaves: Leaves, old_size: number, key = log) {
  const proof = old_size <= leaves.length ? await prove(leaves, old_size) : []
  return formatWitnessRequest({ old_size, proof, checkpoint: await sign(leaves, key) })
}

const judge = (body: string, seen: SeenTree) => judgeCheckpoint(body, [log], () => seen)

describe('a witness', () => {
  test('cosigns every log that only grew, and returns its size to everyone who sends another', async () => {
    for (let from = 0; from <= 12; from++) {
      for (let to = from; to <= 12; to++) {
        const leaves = makeLeaves(to)
        const seen = see(leaves.slice(0, from))
        expect(judge(await makeRequest(leaves, from), seen)).toMatchObject({
          status: 200,
          checkpoint: see(leaves),
        })
        for (const other of [0, from - 1, from + 1].filter(size => size !== from && size >= 0 && size <= to))
          expect(judge(await makeRequest(leaves, other), seen)).toMatchObject({ status: 409, size: from })
      }
    }
  })

  test('never cosigns a log that does not begin with the tree it has seen', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          from: fc.integer({ min: 1, max: 40 }),
          more: fc.integer({ min: 0, max: 40 }),
          changed: fc.nat(),
          lies: fc.boolean(),
        }),
        async ({ from, more, changed, lies }) => {
          const honest = makeLeaves(from + more)
          const forged = honest.with(changed % from, hashLeaf(Buffer.from('forged')))
          // An attacker may also send the proof of the honest log with the root of the forged one.
          const proof = await prove(lies ? honest : forged, from)
          const body = formatWitnessRequest({ old_size: from, proof, checkpoint: await sign(forged) })
          const answer = judge(body, see(honest.slice(0, from)))
          expect(answer).toMatchObject(more === 0 ? { status: 409, is_fork: true } : { status: 422 })
        },
      ),
    )
  })

  test('whatever is sent in whatever order, has one history', async () => {
    // Usually the sender knows the state of the witness.
    const old_size = fc.option(fc.nat({ max: 20 }), { freq: 2 })
    const step = fc.record({ size: fc.nat({ max: 20 }), old_size, branch: fc.constantFrom('', 'b') })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
        let seen: SeenTree = NOTHING_SEEN
        let history: Leaves = []
        for (const { size, old_size, branch } of steps) {
          const leaves = makeLeaves(size, branch)
          const answer = judge(await makeRequest(leaves, old_size ?? seen.size), seen)
          if (answer.status !== 200) continue
          expect(leaves.slice(0, history.length)).toEqual(history)
          history = leaves
          seen = see(leaves)
        }
      }),
      { numRuns: 50 },
    )
  })

  test.each([
    ['nothing', () => '', 400, 'an empty line must follow the proof'],
    [
      'no old size',
      (good: string) => good.replace('old 3', 'new 3'),
      400,
      'does not begin with the old size',
    ],
    [
      'an old size with a zero in front',
      (good: string) => good.replace('old 3', 'old 03'),
      400,
      'leading zeros',
    ],
    ['an old size beyond 2^53', (good: string) => good.replace('old 3', `old ${2 ** 53}`), 400, 'too large'],
    [
      'an old size beyond the checkpoint',
      (good: string) => good.replace('old 3', 'old 6'),
      400,
      'is larger than',
    ],
    ['a hash that is too short', (good: string) => good.replace('old 3\n', 'old 3\nAAAA\n'), 400, '3 bytes'],
    ['64 hashes', (good: string) => good.replace('old 3\n', `old 3\n${HASH.repeat(64)}`), 400, 'at most 63'],
    ['no signature', (good: string) => good.slice(0, good.lastIndexOf('— ')), 400, 'no signature'],
    [
      'another log',
      (good: string) => good.replaceAll('acme', 'evil'),
      404,
      "does not know the log 'log.example/evil'",
    ],
    ['a changed root', (good: string) => good.replace(ROOT, EMPTY_ROOT.toString('base64')), 403, 'is wrong'],
    ['a surplus hash', (good: string) => good.replace('old 3\n', `old 3\n${HASH}`), 422, 'does not show'],
    ['a missing hash', (good: string) => good.replace(/old 3\n.*\n/, 'old 3\n'), 422, 'does not show'],
  ])('refuses %s', async (_, change, status, sentence) => {
    const changed = change(await makeRequest(FIVE, 3))
    const answer = judge(changed, see(FIVE.slice(0, 3)))
    expect(answer).toMatchObject({ status, sentence: expect.stringContaining(sentence) })
  })

  test('rejects a signature by an untrusted key, and ignores one beside a valid signature', async () => {
    const body = await makeRequest(FIVE, 3, thief)
    expect(judge(body, see(FIVE.slice(0, 3)))).toMatchObject({ status: 403 })
    const checkpoint = await signNote(formatCheckpoint({ origin: ORIGIN, ...see(FIVE) }), [
      thief,
      log,
      witness,
    ])
    const both = formatWitnessRequest({ old_size: 3, proof: await prove(FIVE, 3), checkpoint })
    expect(judge(both, see(FIVE.slice(0, 3)))).toMatchObject({ status: 200 })
  })
})

const FIVE = makeLeaves(5)
const ROOT = computeRoot(FIVE).toString('base64')
const HASH = `${EMPTY_ROOT.toString('base64')}\n`

describe('the response of a witness', () => {
  const text = formatCheckpoint({ origin: ORIGIN, ...see(FIVE) })
  const cosign = async (key = witness, signed = text, time_s = 1_000) =>
    (await signNote(signed, [key], time_s)).signatures.map(formatSignature).join('')

  test('contains the cosignature and its time, even among others', async () => {
    const other = await cosign(generateKey('witness.example/w2', 'cosignature'))
    const { signature, time_s } = readCosignature(text, other + (await cosign()), witness, 1_000)
    expect([signature.name, time_s]).toEqual([witness.name, 1_000])
    expect(formatNote({ text, signatures: [signature] })).toContain(await cosign())
  })

  test.each([
    ['of another checkpoint', () => cosign(witness, text.replace('acme', 'evil')), 'is wrong'],
    [
      'of another key of the same name',
      () => cosign(generateKey(witness.name, 'cosignature')),
      'has no signature',
    ],
    ['as a log would sign', () => cosign(generateKey(witness.name, 'note')), 'has no signature'],
    ['from the future', () => cosign(witness, text, 1_001), 'a time in the future'],
    ['that is cut off', async () => (await cosign()).slice(0, -1), 'does not end with a newline'],
    ['that is something else', async () => '<html>\n', 'is not a signature line'],
    ['that is empty', async () => '', 'does not end with a newline'],
  ])('is refused: %s', async (_, answer, sentence) => {
    const given = await answer()
    expect(() => readCosignature(text, given, witness, 1_000)).toThrow(sentence)
  })

  test.each([
    ['5\n', 5],
    ['0\n', 0],
  ])('has a size: %j', (body, size) => expect(parseToldSize(body)).toBe(size))
  test.each(['5', '05\n', '-1\n', '\n', '5\n\n', `${2 ** 53}\n`])('has no size: %j', body => {
    expect(() => parseToldSize(body)).toThrow('The size in the answer of the witness')
  })
})
