import { createPrivateKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  EMPTY_ROOT,
  formatCheckpoint,
  formatNote,
  formatProofFile,
  formatVerifierKey,
  formatWitnessRequest,
  generateKey,
  getCosignedTime,
  hashLeaf,
  parseCheckpoint,
  parseNote,
  parseProofFile,
  parseVerifierKey,
  parseWitnessRequest,
  provesInclusion,
  readPrivateKey,
  signNote,
  verifyNote,
} from './index.ts'

const TEXT =
  'If you think cryptography is the answer to your problem,\nthen you do not know what your problem is.\n'
// Known answers: an example key and note of C2SP, and of the package golang.org/x/mod/sumdb/note.
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const PETER_NOTE = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`
const WITNESSED = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`
const log = generateKey('log.example/acme', 'note')
const witness = generateKey('witness.example/w1', 'cosignature')

describe('a key', () => {
  test('is written and read', () => {
    expect(parseVerifierKey(PETER)).toMatchObject({ name: 'PeterNeumann', id: 'c74f20a3', type: 'note' })
    expect(formatVerifierKey(parseVerifierKey(PETER))).toBe(PETER)
    expect(formatVerifierKey(parseVerifierKey(formatVerifierKey(witness)))).toBe(formatVerifierKey(witness))
  })

  test('is the same after its private half was stored', () => {
    const stored = log.private_key.export({ format: 'pem', type: 'pkcs8' })
    expect(formatVerifierKey(readPrivateKey(log.name, 'note', createPrivateKey(stored)))).toBe(
      formatVerifierKey(log),
    )
  })

  test.each([
    [PETER.replace('c74f', 'c74e'), 'does not belong to the key'],
    [PETER.replace('+c74f20a3', ''), 'must look like'],
    [PETER.replace('ARpc', 'Ahpc'), 'is of type 2, which is not supported'],
    [PETER.slice(0, -4), 'has 32 bytes, not 29'],
    [`${PETER}=`, 'is not base64'],
  ])('%s is refused', (vkey, sentence) => {
    expect(() => parseVerifierKey(vkey)).toThrow(sentence)
  })

  test.each(['', 'two words', 'a+b', 'a\nb', 'a\u00a0b'])('cannot have the name %j', name => {
    expect(() => generateKey(name, 'note')).toThrow('cannot name a key')
  })
})

describe('a note', () => {
  test('of another program is verified', () => {
    const note = parseNote(PETER_NOTE)
    expect(verifyNote(note, [parseVerifierKey(PETER)])).toHaveLength(1)
    expect(formatNote(note)).toBe(PETER_NOTE)
  })

  test('has the signatures of the known keys, each once, and no others', async () => {
    const stranger = generateKey(log.name, 'note')
    const note = await signNote(TEXT, [stranger, log, log])
    expect(verifyNote(note, [log]).map(({ id }) => id)).toEqual([log.id])
    expect(verifyNote(note, [witness])).toEqual([])
  })

  test('that was changed is refused', async () => {
    const note = await signNote(TEXT, [log])
    expect(() => verifyNote({ ...note, text: TEXT.replace('not', 'now') }, [log])).toThrow(
      'the note was changed',
    )
  })

  test('may have empty lines and other languages in its text', async () => {
    const text = 'è subito\n\nsera —\n'
    const note = parseNote(formatNote(await signNote(text, [log])))
    expect(note.text).toBe(text)
    expect(verifyNote(note, [log])).toHaveLength(1)
  })

  test.each([
    ['', 'malformed'],
    ['text\n\n', 'has no signature'],
    [PETER_NOTE.slice(0, -1), 'malformed'],
    [PETER_NOTE.replaceAll('\n', '\r\n'), 'malformed'],
    [PETER_NOTE.replace('crypto', 'cry\u0007pto'), 'control character'],
    [PETER_NOTE.replace('— ', '- '), 'not a signature line'],
    [PETER_NOTE.replace(' x08', '  x08'), 'not a signature line'],
    [PETER_NOTE.replace('x08go/Z', '*'), 'is not base64'],
    [PETER_NOTE.replace(/x08.*=/, 'x08gow=='), 'is empty'],
    [PETER_NOTE + '— a AAAAAAA=\n'.repeat(64), 'has 65 signatures'],
  ])('is refused: %j', (text, sentence) => {
    expect(() => parseNote(text)).toThrow(sentence)
  })
})

describe('a cosignature', () => {
  test('contains the time and is valid only for its checkpoint', async () => {
    const note = await signNote(TEXT, [witness], 1_679_315_147)
    const [signature] = verifyNote(note, [witness])
    expect(getCosignedTime(signature?.signature as Buffer)).toBe(1_679_315_147)
    expect(() => verifyNote({ ...note, text: 'other\n' }, [witness])).toThrow('the note was changed')
  })

  test('with another time is refused', async () => {
    const note = await signNote(TEXT, [witness], 1)
    note.signatures[0]?.signature.writeUInt8(2, 7)
    expect(() => verifyNote(note, [witness])).toThrow('the note was changed')
  })

  test('does not count as a signature of a log with the same key', async () => {
    const same = readPrivateKey(witness.name, 'note', witness.private_key)
    expect(same.id).not.toBe(witness.id)
    expect(verifyNote(await signNote(TEXT, [witness]), [same])).toEqual([])
  })
})

describe('a checkpoint', () => {
  test('of another program is read', () => {
    const note = parseNote(WITNESSED)
    expect(note.signatures.map(({ name }) => name)).toEqual([
      'example.com/behind-the-sofa',
      'witness.example.com/w1',
    ])
    const checkpoint = parseCheckpoint(note.text)
    expect(checkpoint).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20_852_163 })
    expect(formatCheckpoint(checkpoint)).toBe(note.text)
  })

  test('may have lines from other programs', () => {
    expect(parseCheckpoint(`o\n0\n${EMPTY_ROOT.toString('base64')}\nmore\n`)).toMatchObject({ size: 0 })
  })

  test.each([
    ['o\n1\n', 'is malformed'],
    ['\n1\nx\n', 'empty line'],
    ['o\n01\nx\n', 'without leading zeros'],
    ['o\n9007199254740992\nx\n', 'too large'],
    ['o\n1\nAAAA\n', 'has 3 bytes instead of 32'],
    ['o\n1\n!\n', 'is not base64'],
    [`o\n1\n${EMPTY_ROOT.toString('base64')}`, 'must end with a newline'],
    [`o\n1\n${EMPTY_ROOT.toString('base64')}\n\n`, 'empty line'],
  ])('is refused: %j', (text, sentence) => {
    expect(() => parseCheckpoint(text)).toThrow(sentence)
  })
})

describe('a proof file', () => {
  const leaf_hash = hashLeaf(Buffer.from('leaf'))
  const sibling = hashLeaf(Buffer.from('sibling'))

  test('is written, read and verified', async () => {
    const checkpoint = await signNote(formatCheckpoint({ origin: log.name, size: 1, root: leaf_hash }), [log])
    const proof = { index: 0, hashes: [], checkpoint }
    const read = parseProofFile(formatProofFile(proof))
    expect(read).toEqual(proof)
    expect(provesInclusion(read, leaf_hash)).toBe(true)
    expect(provesInclusion(read, sibling)).toBe(false)
  })

  test('may have an extra line, which is ignored', async () => {
    const checkpoint = await signNote(formatCheckpoint({ origin: log.name, size: 2, root: leaf_hash }), [log])
    const text = formatProofFile({ index: 1, hashes: [sibling], checkpoint })
    expect(parseProofFile(text.replace('index', 'extra AAAA\nindex'))).toEqual(parseProofFile(text))
  })

  test.each([
    ['', 'not a proof'],
    ['c2sp.org/tlog-proof@v2\nindex 0\n\n', 'not a proof'],
    ['c2sp.org/tlog-proof@v1\n\n', 'where the leaf is'],
    ['c2sp.org/tlog-proof@v1\nindex 00\n\n', 'without leading zeros'],
    ['c2sp.org/tlog-proof@v1\nindex 0\nAAAA\n\n', 'Hash 1 of the proof has 3 bytes'],
  ])('is refused: %j', (text, sentence) => {
    expect(() => parseProofFile(text)).toThrow(sentence)
  })
})

describe('a request to a witness', () => {
  test('is written and read', async () => {
    const checkpoint = await signNote(formatCheckpoint({ origin: log.name, size: 3, root: EMPTY_ROOT }), [
      log,
    ])
    const request = { old_size: 2, proof: [EMPTY_ROOT, EMPTY_ROOT], checkpoint }
    expect(parseWitnessRequest(formatWitnessRequest(request))).toEqual(request)
  })

  test.each([
    ['old 1', 'an empty line must follow'],
    ['new 1\n\n', 'does not begin with the old size'],
    ['old -1\n\n', 'without leading zeros'],
    [`old 1\n${`${EMPTY_ROOT.toString('base64')}\n`.repeat(64)}\n`, 'has 64 hashes'],
  ])('is refused: %j', (body, sentence) => {
    expect(() => parseWitnessRequest(body)).toThrow(sentence)
  })
})
