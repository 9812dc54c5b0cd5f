// The formats of leaves and bodies never change: others may have stored hashes of them.
import { describe, expect, it } from 'vitest'
import { formatBody } from './body.ts'
import { commitToPart, computeTag, hashBody } from './commit.ts'
import { formatLeaf, type Leaf, parseLeaf } from './leaf.ts'
import { listSubjects } from './subjects.ts'

const LEAF: Leaf = {
  index: 940,
  at_ms: 1763222400123,
  kind: 'artifact_attestation_reported',
  event: '019a8c0f-3b7a-7c1e-9a34-d2f10b6c',
  body_hash: Buffer.alloc(32, 7),
  about: ['0b5d0000000000000000000000000001', '9f270000000000000000000000000002'],
}
const TEXT = `waybill-leaf/v1
index 940
at 1763222400123
kind artifact_attestation_reported
event 019a8c0f-3b7a-7c1e-9a34-d2f10b6c
body BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=
about 0b5d0000000000000000000000000001
about 9f270000000000000000000000000002
`

/** Computed with sha256sum and openssl. */
const HASHES = {
  body: '818aaa5975b4a596522fed86d4fdf5da2edcb24507f3c07bee5849765a8a21d7',
  part: 'ZXbGqUHdL3rUlJOks7+E5N/pkRVc8bkWczeFFTkqHb4=',
  tag: '892e36bbffdd7e104d57b92271580757',
}

describe('a leaf', () => {
  it('is written line by line, and read again', () => {
    expect(formatLeaf(LEAF)).toBe(TEXT)
    expect(parseLeaf(TEXT)).toEqual(LEAF)
  })

  it('needs no subject', () => {
    const text = formatLeaf({ ...LEAF, about: [] })
    expect(text).toMatch(/\nbody .*=\n$/)
    expect(parseLeaf(text)?.about).toEqual([])
  })

  it.each([
    ['another version', TEXT.replace('v1', 'v2')],
    ['another line', TEXT.replace('kind', 'note x\nkind')],
    ['a line in another place', TEXT.replace(/(index .*\n)(at .*\n)/, '$2$1')],
    ['no last newline', TEXT.slice(0, -1)],
    ['an empty line', `${TEXT}\n`],
    ['carriage returns', TEXT.replaceAll('\n', '\r\n')],
    ['a number with a leading zero', TEXT.replace('index 940', 'index 0940')],
    ['a number that is not exact', TEXT.replace('index 940', 'index 90071992547409930')],
    ['a body that is not in its only base64 form', TEXT.replace('Bwc=\n', 'Bwd=\n')],
    ['tags in another order', formatLeaf({ ...LEAF, about: LEAF.about.toReversed() })],
    ['a tag twice', formatLeaf({ ...LEAF, about: [LEAF.about[0] ?? '', LEAF.about[0] ?? ''] })],
    [
      'too many tags',
      formatLeaf({ ...LEAF, about: Array.from({ length: 17 }, (_, i) => String(i).padStart(32, '0')) }),
    ],
  ])('is refused with %s', (_, text) => {
    expect(text).not.toBe(TEXT)
    expect(parseLeaf(text)).toBeUndefined()
  })
})

describe('a body', () => {
  const event = {
    kind: 'flow_created',
    happened_at: new Date(1763222400123),
    actor: 'Ann "A" Ønsk',
    request_id: 'r-1',
    flow_id: 'f',
    trail_id: null,
    caller: null,
    data: '{"a": 1}',
    parts: null,
  }

  it('says everything that the event says', () => {
    expect(formatBody(event)).toBe(
      '{"kind": "flow_created", "happened_at": "2025-11-15T16:00:00.123Z", "actor": "Ann \\"A\\" Ønsk", ' +
        '"request_id": "r-1", "ids": {"flow": "f"}, "data": {"a": 1}}',
    )
    expect(formatBody({ ...event, caller: '{"id": "x"}', parts: '{}' })).toBe(
      '{"kind": "flow_created", "happened_at": "2025-11-15T16:00:00.123Z", "actor": "Ann \\"A\\" Ønsk", ' +
        '"caller": {"id": "x"}, "request_id": "r-1", "ids": {"flow": "f"}, "data": {"a": 1}, "parts": {}}',
    )
  })

  it('has the hash of salt and text', () => {
    expect(hashBody(Buffer.alloc(32), 'body').toString('hex')).toBe(HASHES.body)
    expect(commitToPart(Buffer.alloc(32), 'report', '{}')).toBe(HASHES.part)
  })
})

describe('a subject', () => {
  it('has one tag for each key', () => {
    const subject = { type: 'artifact' as const, id: 'ab'.repeat(32) }
    expect(computeTag(Buffer.alloc(32), subject)).toBe(HASHES.tag)
    expect(computeTag(Buffer.alloc(32, 1), subject)).not.toBe(HASHES.tag)
    expect(computeTag(Buffer.alloc(32), { ...subject, type: 'evidence' })).not.toBe(HASHES.tag)
  })

  it('is found in the ids, the data and the parts of an event, each once', () => {
    const event = {
      flow_id: 'f',
      trail_id: 't',
      data: { artifact_fingerprint: 'a', subject: { artifact_fingerprint: 'a' }, identifier: '' },
      parts: { evidence: { sha256: 'e' }, member: { row: 'member p' }, about: { person: 'p' } },
    }
    const subjects = listSubjects(event, [
      'trail',
      'flow',
      'evidence',
      'artifact',
      'person',
      'control',
      'policy',
    ])
    expect(subjects).toEqual([
      { type: 'trail', id: 't' },
      { type: 'flow', id: 'f' },
      { type: 'evidence', id: 'e' },
      { type: 'artifact', id: 'a' },
      { type: 'person', id: 'p' },
    ])
  })
})
