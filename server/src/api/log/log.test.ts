// The log as auditors read it: everything is verified with third-party formats, not with the code that made it.

import { createHash, randomBytes } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import {
  formatTilePath,
  hashLeaf,
  hashRanges,
  isConsistent,
  isIncluded,
  listInclusionRanges,
  makeTileReader,
  type Note,
  parseCheckpoint,
  parseEntries,
  parseNote,
  parseProofFile,
  parseVerifierKey,
  provesInclusion,
  verifyNote,
} from '@waybill/transparency-log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, ORG, OTHER_ORG, startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordEvents } from '../../events/record.ts'
import { makeIds } from '../../lib/ids.ts'

const FLOW = 'shipping'
/** More than two full tiles, and a partial one. */
const MANY = 600

let app: TestApp
let beside: TestApp
beforeAll(async () => {
  app = await startTestApp()
  beside = await startTestApp({ beside: app })
  await app.admin.put(`/flows/${ORG}`, { name: FLOW, description: '' })
  await addEvents(MANY)
})
afterAll(async () => {
  await beside.stop()
  await app.stop()
})

async function addEvents(number: number): Promise<void> {
  const [org] = await app.sql('select org_id from orgs where name = $1', [ORG])
  const org_id = String(org?.org_id)
  const context = { org: { org_id }, caller: { name: 'ada' }, now: app.clock.now(), request_id: 'r' }
  const events = Array.from({ length: number }, (_, n) => ({ kind: 'org_exported' as const, data: { n } }))
  await app.db.withTransaction({ org_id }, tx => recordEvents(tx, context, makeIds(app.clock), events))
}

const beginTrail = (name: string, headers: Record<string, string> = {}) =>
  app.member.call('PUT', `/trails/${ORG}/${FLOW}`, { name }, headers)

const attest = (trail: string, headers: Record<string, string>) =>
  app.member.call(
    'POST',
    `/attestations/${ORG}/${FLOW}/trail/${trail}/generic`,
    { attestation_name: 'review', is_compliant: true },
    headers,
  )

/** The header's data about the leaves of a write. */
function readPlace(header: unknown) {
  const [, index, count, size, leaf = ''] =
    /^index=(\d+), count=(\d+), size=(\d+), leaf="(.*)"$/.exec(String(header)) ?? []
  return {
    index: Number(index),
    count: Number(count),
    size: Number(size),
    leaf_hash: Buffer.from(leaf, 'base64'),
  }
}

/** The members of the header about the leaf. */
const readMembers = (header: unknown): Partial<Record<string, string>> =>
  Object.fromEntries(
    [...String(header).matchAll(/([a-z-]+)="?([^",]*)"?/g)].map(([, name, value]) => [name, value]),
  )

const decodeProof = (header: unknown) => parseProofFile(Buffer.from(String(header), 'base64url').toString())

async function readKeys(client: Client = app.reader) {
  const { body } = await client.get(`/log/${ORG}/keys`)
  return body.keys.map(({ vkey }: { vkey: string }) => parseVerifierKey(vkey))
}

async function readCheckpoint(
  client: Client = app.reader,
): Promise<ReturnType<typeof parseCheckpoint> & { note: Note }> {
  const { status, text } = await client.get(`/log/${ORG}/checkpoint`)
  expect(status).toBe(200)
  const note = parseNote(text)
  expect(verifyNote(note, await readKeys(client)).length).toBeGreaterThan(0)
  return { ...parseCheckpoint(note.text), note }
}

describe('a write', () => {
  it('that prefers a proof is proved in its response, and its body is the same', async () => {
    const plain = await beginTrail('plain')
    const { status, body, headers } = await beginTrail('proved', { prefer: 'return=minimal, waybill-proof' })
    expect([status, body]).toEqual([plain.status, plain.body])
    expect(plain.headers).not.toHaveProperty('waybill-log-proof')
    expect(headers['preference-applied']).toBe('waybill-proof')
    const { index, leaf_hash } = readPlace(headers['waybill-log'])
    const proof = decodeProof(headers['waybill-log-proof'])
    expect(proof.index).toBe(index)
    expect(provesInclusion(proof, leaf_hash)).toBe(true)
    expect(provesInclusion(proof, hashLeaf(Buffer.from('another leaf')))).toBe(false)
    expect(verifyNote(proof.checkpoint, await readKeys())).toHaveLength(1)
  })

  it('that prefers its leaf gets all of it, with the keys to check it', async () => {
    const prefer = 'waybill-proof, waybill-leaf'
    const { headers } = await beginTrail('handed-over', { prefer })
    expect(headers['preference-applied']).toBe(prefer)
    const found = readMembers(headers['waybill-log-leaf'])
    const { index } = readPlace(headers['waybill-log'])
    const { body: stored } = await app.reader.get(`/log/${ORG}/bodies/${index}`)
    expect(inflateRawSync(Buffer.from(found.body ?? '', 'base64')).toString()).toBe(stored.body)
    expect(found.salt).toBe(stored.salt)
    expect(stored.leaf).toContain(`\nat ${found.at}\n`)
    expect(stored.leaf).toContain(`\nevent ${found.event}\n`)
    const tags =
      Buffer.from(found.tags ?? '', 'base64')
        .toString('hex')
        .match(/.{32}/g) ?? []
    expect(stored.leaf.endsWith(tags.map(tag => `about ${tag}\n`).join(''))).toBe(true)
    const { body: opened } = await app.reader.get(`/log/${ORG}/bodies/0`)
    expect(Buffer.from(found['tag-key'] ?? '', 'base64').toString('hex')).toBe(
      JSON.parse(opened.body).data.tag_key,
    )
    const { origin } = (await app.reader.get(`/log/${ORG}/keys`)).body
    expect(await readKeys()).toContainEqual(parseVerifierKey(`${origin}+${found.key}`))
  })

  it('whose body is large gets only the keys: proxies refuse large headers', async () => {
    const user_data = { random: randomBytes(3_000).toString('base64') }
    const { status, headers } = await app.member.call(
      'PUT',
      `/trails/${ORG}/${FLOW}`,
      { name: 'large', user_data },
      { prefer: 'waybill-proof, waybill-leaf' },
    )
    expect(status).toBe(201)
    expect(Object.keys(readMembers(headers['waybill-log-leaf']))).toEqual(['tag-key', 'key'])
  })

  it('that records nothing says that the preferences were applied', async () => {
    await beginTrail('unchanged')
    const { headers } = await beginTrail('unchanged', { prefer: 'waybill-proof' })
    expect(headers).not.toHaveProperty('waybill-log')
    expect(headers['preference-applied']).toBe('waybill-proof')
  })

  it('that is repeated with its idempotency key gets the first leaves', async () => {
    await beginTrail('retried')
    const first = await attest('retried', { 'idempotency-key': 'once', prefer: 'waybill-proof' })
    await beginTrail('meanwhile')
    const again = await attest('retried', { 'idempotency-key': 'once', prefer: 'waybill-proof' })
    const [place, place_again] = [first, again].map(({ headers }) => readPlace(headers['waybill-log']))
    expect(place_again).toMatchObject({
      index: place?.index,
      count: place?.count,
      leaf_hash: place?.leaf_hash,
    })
    const proof = decodeProof(again.headers['waybill-log-proof'])
    expect(provesInclusion(proof, place?.leaf_hash as Buffer)).toBe(true)
    const other = await attest('retried', { 'idempotency-key': 'another' })
    expect(readPlace(other.headers['waybill-log']).index).toBeGreaterThan(place_again?.index ?? 0)
  })

  it('is proved, whichever process signs, while many write', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        [app, beside][i % 2]?.member.call(
          'PUT',
          `/trails/${ORG}/${FLOW}`,
          { name: `racing-${i}` },
          {
            prefer: 'waybill-proof',
          },
        ),
      ),
    )
    const keys = await readKeys()
    for (const { headers } of answers.map(answer => answer ?? expect.fail())) {
      const proof = decodeProof(headers['waybill-log-proof'])
      expect(provesInclusion(proof, readPlace(headers['waybill-log']).leaf_hash)).toBe(true)
      expect(verifyNote(proof.checkpoint, keys)).toHaveLength(1)
    }
  })
})

describe('200', () => {
  it('proves every kind of place: the first, the last, within and between tiles', async () => {
    const { size } = await readCheckpoint()
    for (const index of [0, 1, 255, 256, 511, 512, size - 1]) {
      const { status, text } = await beside.reader.get(`/log/${ORG}/proof?index=${index}`)
      expect(status).toBe(200)
      const { body } = await app.reader.get(`/log/${ORG}/leaves?start=${index}&count=1`)
      const [leaf] = body.leaves
      expect(hashLeaf(Buffer.from(leaf.leaf)).toString('base64')).toBe(leaf.hash)
      expect(provesInclusion(parseProofFile(text), Buffer.from(leaf.hash, 'base64'))).toBe(true)
    }
  })

  it('proves an event by its id, and in an earlier size', async () => {
    const { body } = await app.reader.get(`/log/${ORG}/leaves?start=300&count=1`)
    const [, event] = /\nevent (.*)\n/.exec(body.leaves[0].leaf) ?? []
    const { text } = await app.reader.get(`/log/${ORG}/proof?event=${event}&size=301`)
    const proof = parseProofFile(text)
    expect([proof.index, parseCheckpoint(proof.checkpoint.text).size]).toEqual([300, 301])
    expect(provesInclusion(proof, Buffer.from(body.leaves[0].hash, 'base64'))).toBe(true)
    expect(verifyNote(proof.checkpoint, await readKeys())).toHaveLength(1)
  })

  it('proves that the log only grew', async () => {
    const before = await readCheckpoint()
    await beginTrail('grown')
    const after = await readCheckpoint(beside.reader)
    expect(after.size).toBeGreaterThan(before.size)
    const query = `from_size=${before.size}&to_size=${after.size}`
    const { body } = await app.reader.get(`/log/${ORG}/consistency?${query}`)
    const hashes = body.hashes.map((hash: string) => Buffer.from(hash, 'base64'))
    expect(isConsistent({ from: before, to: after }, hashes)).toBe(true)
    const forked = { ...before, root: Buffer.alloc(32) }
    expect(isConsistent({ from: forked, to: after }, hashes)).toBe(false)
  })

  it('returns the body of a leaf, whose salted hash is in the leaf', async () => {
    const { headers } = await beginTrail('with a body'.replaceAll(' ', '-'))
    const { body } = await app.reader.get(`/log/${ORG}/bodies/${readPlace(headers['waybill-log']).index}`)
    const hash = createHash('sha256').update(Buffer.from(body.salt, 'base64')).update(body.body)
    expect(body.leaf).toContain(`\nbody ${hash.digest('base64')}\n`)
    expect(JSON.parse(body.body)).toMatchObject({ kind: 'trail_reported', actor: 'max' })
  })

  it('has the whole log as tiles, which another reader verifies', async () => {
    const base = `/log/${ORG}/tiles/1`
    const { text } = await app.reader.get(`${base}/checkpoint`)
    const { size, root } = parseCheckpoint(parseNote(text).text)
    const readFile = async (path: string) => {
      const { status, bytes } = await app.reader.get(`${base}/${path}`)
      expect(status, path).toBe(200)
      return bytes ?? expect.fail()
    }
    const read = makeTileReader(size, tile => readFile(formatTilePath(tile)))
    expect((await hashRanges([{ start: 0, end: size }], read))[0]).toEqual(root)
    const proof = await hashRanges(listInclusionRanges(300, size), read)
    const entries = parseEntries(await readFile('tile/entries/001'))
    expect(entries).toHaveLength(256)
    const leaf_hash = hashLeaf(entries[300 - 256] as Buffer)
    expect(isIncluded({ index: 300, size, leaf_hash, root }, proof)).toBe(true)
    // The names that Go's x/mod uses.
    expect(await readFile('tile/8/0/001')).toEqual(await readFile('tile/0/001'))
    expect(await readFile('tile/8/1/000.p/2')).toEqual(await readFile('tile/1/000.p/2'))
  })
})

const NAME_ONE =
  'Name one leaf: by index, event, attestation, report, flow and trail, or environment and snapshot'

describe('400', () => {
  it.each([
    ['proof', NAME_ONE],
    ['proof?index=1&event=x', NAME_ONE],
    ['proof?trail=x', NAME_ONE],
    ['proof?flow=x&trail=y&snapshot=1', NAME_ONE],
    ['leaf', NAME_ONE],
    ['leaf?environment=x', NAME_ONE],
    ['consistency?from_size=2&to_size=1', 'from_size should not be larger than to_size'],
  ])('%s', async (path, message) => {
    const { status, body } = await app.reader.get(`/log/${ORG}/${path}`)
    expect([status, body.message]).toEqual([400, message])
  })

  it.each([
    'proof?index=-1',
    'proof?index=9007199254740993',
    'leaves?count=1001',
    'bodies/x',
    'leaf?index=x',
  ])('refuses %s', async path => {
    expect((await app.reader.get(`/log/${ORG}/${path}`)).status).toBe(400)
  })
})

describe('403', () => {
  it.each([
    ...['checkpoint', 'proof?index=0', 'consistency?from_size=1&to_size=1', 'leaves', 'bodies/0', 'keys'],
    ...['tiles/1/checkpoint', 'tiles/1/tile/0/000', 'tiles/1/tile/entries/000', 'status', 'leaf?event=x'],
  ])('%s is for readers of the organization', async path => {
    expect((await app.outsider.get(`/log/${ORG}/${path}`)).status).toBe(403)
    expect((await app.anonymous.get(`/log/${ORG}/${path}`)).status).toBe(401)
  })
})

describe('404', () => {
  it.each([
    ...['proof?index=1000000', 'proof?event=no-such-event', 'consistency?from_size=1&to_size=1000000'],
    ...['bodies/1000000', 'tiles/2/checkpoint', 'tiles/1/tile/0/999', 'tiles/1/tile/0/1', 'tiles/1/lookup/x'],
  ])('%s', async path => {
    expect((await app.reader.get(`/log/${ORG}/${path}`)).status).toBe(404)
  })
})

describe('the private key of a log', () => {
  it('is sealed in the database, and belongs to one organization', async () => {
    await app.outsider.get(`/log/${OTHER_ORG}/checkpoint`)
    const rows = await app.sql('select private_sealed, vkey from log_keys')
    expect(rows.length).toBeGreaterThan(1)
    expect(new Set(rows.map(({ vkey }) => vkey)).size).toBe(rows.length)
    for (const { private_sealed } of rows) expect(private_sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/)
  })
})
