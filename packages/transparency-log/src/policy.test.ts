import { describe, expect, test } from 'vitest'
import {
  EMPTY_ROOT,
  endorse,
  formatCheckpoint,
  formatVerifierKey,
  generateKey,
  hasQuorum,
  parsePolicy,
  readPrivateKey,
  signNote,
} from './index.ts'

const log = generateKey('log.example/acme', 'note')
const [w1, w2, w3] = ['w1', 'w2', 'w3'].map(name => generateKey(`witness.example/${name}`, 'cosignature'))
const witnesses = [w1, w2, w3].flatMap(key => key ?? [])
const WITNESSES = witnesses.map((key, i) => `witness w${i + 1} ${formatVerifierKey(key)}`).join('\n')
const LOG = `log ${formatVerifierKey(log)} https://log.example`
const TWO_OF_THREE = `# who we trust\n${LOG}\n\n${WITNESSES}\n\tgroup all-of-them 2 w1  w2 w3\nquorum all-of-them\n`

describe('a policy', () => {
  test('is read', () => {
    const policy = parsePolicy(TWO_OF_THREE)
    expect(policy.logs).toMatchObject([{ key: { name: log.name }, url: 'https://log.example' }])
    expect(policy.witnesses.map(({ name }) => name)).toEqual(['w1', 'w2', 'w3'])
  })

  test.each([
    ['quorum none', [], true],
    [`${WITNESSES}\nquorum w2`, ['w1', 'w3'], false],
    [`${WITNESSES}\nquorum w2`, ['w2'], true],
    [`${WITNESSES}\ngroup g any w1 w2\nquorum g`, [], false],
    [`${WITNESSES}\ngroup g any w1 w2\nquorum g`, ['w2'], true],
    [`${WITNESSES}\ngroup g all w1 w2\nquorum g`, ['w2'], false],
    [`${WITNESSES}\ngroup g all w1 w2\nquorum g`, ['w1', 'w2'], true],
    [`${WITNESSES}\ngroup g any w1 w2\ngroup h all g w3\nquorum h`, ['w1', 'w2'], false],
    [`${WITNESSES}\ngroup g any w1 w2\ngroup h all g w3\nquorum h`, ['w1', 'w3'], true],
    [TWO_OF_THREE, ['w3'], false],
    [TWO_OF_THREE, ['w3', 'w1'], true],
  ])('%j with %j has a quorum: %j', (text, cosigned, expected) => {
    expect(hasQuorum(parsePolicy(text), new Set(cosigned))).toBe(expected)
  })

  test.each([
    ['', 'has no quorum line'],
    ['quorum nobody', "Line 1 of the policy: 'nobody' is not defined"],
    ['quorum none\nquorum none', 'Line 2 of the policy: a policy has one quorum line'],
    ['logs x', "'logs' is not log, witness, group or quorum"],
    [`${LOG}\n${LOG}\nquorum none`, 'is listed twice'],
    [`witness a ${formatVerifierKey(log)}\nquorum a`, 'signs as a note, not as a cosignature'],
    [`${WITNESSES}\nwitness w1 x`, "'w1' is already defined"],
    [`${WITNESSES}\ngroup none any w1`, "'none' is already defined"],
    [`${WITNESSES}\ngroup g 4 w1 w2 w3`, '4 of 3 members is impossible'],
    [`${WITNESSES}\ngroup g 0 w1`, '0 of 1 members is impossible'],
    [`${WITNESSES}\ngroup g 1 w1 w1`, "'w1' is a member twice"],
    [`${WITNESSES}\ngroup g 1 w1\ngroup h 1 w1`, "'w1' is a member twice"],
    [`${WITNESSES}\ngroup g 1 h\ngroup h 1 w1`, "'h' is not defined on a line before"],
    ['log', 'log takes a key'],
    ['\n'.repeat(1_000), 'has 1001 lines'],
  ])('is refused: %j', (text, sentence) => {
    expect(() => parsePolicy(text)).toThrow(sentence)
  })
})

describe('a checkpoint is endorsed', () => {
  const policy = parsePolicy(TWO_OF_THREE)
  const text = formatCheckpoint({ origin: log.name, size: 0, root: EMPTY_ROOT })

  test('by its log and a quorum of witnesses', async () => {
    expect(endorse(policy, await signNote(text, [log, ...witnesses.slice(1)], 9))).toMatchObject({
      log: { name: log.name },
      witnesses: [{ name: 'w2' }, { name: 'w3' }],
      has_quorum: true,
    })
    expect(endorse(policy, await signNote(text, [log, ...witnesses.slice(2)], 9))).toMatchObject({
      witnesses: [{ name: 'w3' }],
      has_quorum: false,
    })
  })

  test("by nobody without the log's signature", async () => {
    const other = generateKey(log.name, 'note')
    const note = await signNote(text, [other, ...witnesses], 9)
    expect(() => endorse(policy, note)).toThrow(`not signed by a log key of the policy (found ${other.id})`)
  })

  test("by nobody if a witness's signature is invalid", async () => {
    const impostor = readPrivateKey('witness.example/w1', 'cosignature', log.private_key)
    const note = await signNote(text, [log, { ...impostor, id: w1?.id ?? '' }], 9)
    expect(() => endorse(policy, note)).toThrow('the note was changed')
  })

  test('by nobody if the policy does not know the log', async () => {
    const other = formatCheckpoint({ origin: 'other', size: 0, root: EMPTY_ROOT })
    const note = await signNote(other, [log])
    expect(() => endorse(policy, note)).toThrow("no log with the origin 'other'")
  })
})
