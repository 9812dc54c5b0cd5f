// Erasure as admins use it: everything recorded about a person goes, and the log stays as it was.
import {
  isConsistent,
  parseCheckpoint,
  parseNote,
  parseProofFile,
  provesInclusion,
} from '@waybill/transparency-log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  AUTHOR,
  type Erasing,
  FLOW,
  prepareErasure,
  REASON,
  readIndex,
  SHA1,
} from '../../../test/erasures.ts'
import { ORG, ROLE_USERS, startTestApp, type TestApp } from '../../../test/harness.ts'
import { replay } from '../../domain/log/replay.ts'
import { recordEvents } from '../../events/record.ts'
import { makeIds } from '../../lib/ids.ts'

let app: TestApp
let log: Erasing
beforeAll(async () => {
  app = await startTestApp()
  log = await prepareErasure(app)
})
afterAll(() => app.stop())

/** More than one request examines. */
const MANY = 1_100

async function recordMany(name: string): Promise<void> {
  const context = { org: { org_id: log.org_id }, caller: { name }, now: app.clock.now(), request_id: 'r' }
  const events = Array.from({ length: MANY }, (_, n) => ({ kind: 'org_exported' as const, data: { n } }))
  await app.db.withTransaction({ org_id: log.org_id }, tx =>
    recordEvents(tx, context, makeIds(app.clock), events),
  )
}

/** The tables that have the text somewhere. */
async function searchTables(needle: string): Promise<string[]> {
  const tables = ['events', 'attestations', 'artifact_reports', 'artifacts', 'trails']
  const found = await Promise.all(
    tables.map(table =>
      app.sql(`select '${table}' as name from ${table} t where t.org_id = $1 and t::text like $2 limit 1`, [
        log.org_id,
        `%${needle}%`,
      ]),
    ),
  )
  return found.flat().map(({ name }) => String(name))
}

async function readLeaf(index: number) {
  const { body } = await app.reader.get(`/log/${ORG}/leaves?start=${index}&count=1`)
  return body.leaves[0] as { leaf: string; hash: string }
}

async function readCheckpoint() {
  return parseCheckpoint(parseNote((await app.reader.get(`/log/${ORG}/checkpoint`)).text).text)
}

describe('an erased body', () => {
  it('is gone from the database with its parts, and the check accepts that', async () => {
    const trail = readIndex(await log.beginTrail('first'))
    const artifact = readIndex(await log.reportArtifact('first'))
    const attested = await log.attest('first')
    expect(attested.status).toBe(201)
    const attestation = readIndex(attested)
    expect(await searchTables(AUTHOR)).not.toEqual([])
    for (const index of [trail, artifact, attestation]) {
      const { status, body } = await log.erase(index)
      expect([status, body]).toEqual([
        200,
        { index, erased_by: ROLE_USERS.admin, erased_at: expect.any(Number), reason: REASON.reason },
      ])
    }
    expect(await searchTables(AUTHOR)).toEqual([])
    expect(await log.readEvent(trail)).toMatchObject({
      actor: 'erased',
      salt: null,
      parts: null,
      caller: null,
    })
    expect(await log.findProblems()).toEqual([])
  })

  it('is answered with who erased it, when and why', async () => {
    const index = readIndex(await log.beginTrail('asked-for'))
    const erased = await log.erase(index, { reason: 'recorded_by_mistake' })
    const { status, body } = await log.readBody(index)
    expect(status).toBe(410)
    expect(body.message).toMatch(
      new RegExp(
        `^The body of leaf ${index} was erased by ${ROLE_USERS.admin} on \\S+Z \\(recorded_by_mistake\\), as leaf ${readIndex(erased)} records$`,
      ),
    )
    const { body: record } = await log.readBody(readIndex(erased))
    expect(JSON.parse(record.body)).toMatchObject({
      kind: 'body_erased',
      data: { epoch: 1, index, kind: 'trail_reported', reason: 'recorded_by_mistake' },
    })
  })

  it('leaves all proofs valid, and the leaf is found by its subjects as before', async () => {
    const index = readIndex(await log.beginTrail('proved'))
    const before = await readLeaf(index)
    const proof = parseProofFile((await app.reader.get(`/log/${ORG}/proof?index=${index}`)).text)
    const from = await readCheckpoint()
    await log.erase(index)
    expect(await readLeaf(index)).toEqual(before)
    const leaf_hash = Buffer.from(before.hash, 'base64')
    expect(provesInclusion(proof, leaf_hash)).toBe(true)
    const now = parseProofFile((await app.reader.get(`/log/${ORG}/proof?index=${index}`)).text)
    expect(provesInclusion(now, leaf_hash)).toBe(true)
    const to = await readCheckpoint()
    expect(to.size).toBeGreaterThan(from.size)
    const sizes = `from_size=${from.size}&to_size=${to.size}`
    const { body } = await app.reader.get(`/log/${ORG}/consistency?${sizes}`)
    const hashes = body.hashes.map((hash: string) => Buffer.from(hash, 'base64'))
    expect(isConsistent({ from, to }, hashes)).toBe(true)
    const [head] = await app.sql('select tag_key from log_heads where org_id = $1', [log.org_id])
    const [trail] = await app.sql('select left(trail_id::text, 32) as id from trails where name = $1', [
      'proved',
    ])
    const { body: all } = await app.reader.get(`/log/${ORG}/leaves`)
    const subject = { type: 'trail' as const, id: String(trail?.id) }
    const tag_key = head?.tag_key as Buffer
    const texts = all.leaves.map(({ leaf }: { leaf: string }) => leaf)
    expect(replay(texts, { tag_key, subject, from: 0, kinds: ['trail_reported'] })).toEqual({
      indices: [index],
    })
    expect(replay(texts, { tag_key, subject, from: 0, kinds: ['body_erased'] })).toMatchObject({
      indices: [expect.any(Number)],
    })
  })

  it('is listed as erased', async () => {
    const index = readIndex(await log.beginTrail('listed'))
    await log.erase(index)
    const { body } = await app.admin.get(`/audit-events/${ORG}?kind=trail_reported&actor=erased`)
    expect(body.events[0]).toMatchObject({ actor: 'erased', data: { erased_by: expect.any(String) } })
    const trail = await app.reader.get(`/trails/${ORG}/${FLOW}/listed`)
    expect(trail.status).toBe(200)
    expect(trail.body.created_by).toBe('erased')
    expect(trail.body.git_commit_info).toEqual({ sha1: SHA1, branch: 'main' })
  })

  it('of an attestation leaves its verdict, which still counts', async () => {
    await log.beginTrail('counted')
    const index = readIndex(await log.attest('counted'))
    await log.erase(index)
    const { body } = await app.reader.get(`/attestations/${ORG}/${FLOW}/trail/counted/review`)
    const [attestation] = body
    expect(attestation).toMatchObject({ is_compliant: true, reported_by: 'erased', description: '' })
    expect(JSON.stringify(attestation)).not.toContain('Hopper')
  })

  it('no longer counts for the storage of the organization, unless another attestation names its attachment', async () => {
    const readUsage = async () =>
      Number(
        (await app.sql('select evidence_bytes::int from org_usage where org_id = $1', [log.org_id]))[0]
          ?.evidence_bytes,
      )
    await log.beginTrail('stored')
    const before = await readUsage()
    const first = readIndex(await log.attest('stored'))
    const second = readIndex(await log.attest('stored'))
    const used = await readUsage()
    expect(used).toBeGreaterThan(before)
    await log.erase(first)
    expect(await readUsage()).toBe(used)
    await log.erase(second)
    expect(await readUsage()).toBe(before)
  })

  it('is erased once: a second request gets the first erasure', async () => {
    const index = readIndex(await log.beginTrail('twice'))
    const first = await log.erase(index)
    const second = await log.erase(index, { reason: 'legal_obligation' })
    expect([second.status, second.body]).toEqual([200, first.body])
    expect(second.headers).not.toHaveProperty('waybill-log')
    const raced = readIndex(await log.beginTrail('raced'))
    const answers = await Promise.all([log.erase(raced), log.erase(raced)])
    expect(answers.map(({ status }) => status)).toContain(200)
    const records = await app.sql(
      `select from events where org_id = $1 and kind = 'body_erased' and (data ->> 'index')::int = $2`,
      [log.org_id, raced],
    )
    expect(records).toHaveLength(1)
    expect(await log.findProblems()).toEqual([])
  })
})

describe('the bodies of a person', () => {
  it('are erased page by page, whether the person acted or is the subject', async () => {
    const name = ROLE_USERS.member
    const act = readIndex(await log.beginTrail('by-member'))
    const changed = await app.admin.put(`/members/${ORG}/${ROLE_USERS.reader}`, { role: 'member' })
    const kept = readIndex(changed)
    await recordMany(name)
    let [cursor, erased, requests]: [string | undefined, number, number] = [undefined, 0, 0]
    do {
      const answer = await app.admin.post(`/log/${ORG}/people/${name}/erase`, {
        ...REASON,
        ...(cursor ? { cursor } : {}),
      })
      expect(answer.status).toBe(200)
      erased += answer.body.erased
      cursor = answer.body.next ?? undefined
      requests += 1
    } while (cursor)
    expect(requests).toBeGreaterThan(1)
    expect(erased).toBeGreaterThan(MANY)
    expect((await log.readBody(act)).status).toBe(410)
    expect((await log.readBody(kept)).status).toBe(200)
    const subject = await app.admin.post(`/log/${ORG}/people/${ROLE_USERS.reader}/erase`, REASON)
    expect(subject.body.erased).toBeGreaterThan(0)
    expect((await log.readBody(kept)).status).toBe(410)
    const left = await app.sql(
      `select kind from events where org_id = $1 and (actor = $2 or data ->> 'user' = $2)`,
      [log.org_id, name],
    )
    expect(left).toEqual([])
    expect(await log.findProblems()).toEqual([])
  })
})

describe('400', () => {
  it.each([
    ['no reason', {}, /reason/],
    ['a reason of another class', { reason: 'because' }, /reason/],
  ])('%s', async (_, body, problem) => {
    const { status, body: answer } = await log.erase(1, body)
    expect(status).toBe(400)
    expect(JSON.stringify(answer)).toMatch(problem)
  })

  it('a cursor that nobody was given', async () => {
    const answer = await app.admin.post(`/log/${ORG}/people/ada/erase`, { ...REASON, cursor: 'x' })
    expect([answer.status, answer.body.message]).toEqual([
      400,
      'The cursor is not the `next` of an earlier response',
    ])
  })
})

describe('403', () => {
  it('members cannot erase', async () => {
    const index = readIndex(await log.beginTrail('theirs'))
    expect((await app.member.post(`/log/${ORG}/bodies/${index}/erase`, REASON)).status).toBe(403)
    expect((await app.member.post(`/log/${ORG}/people/ada/erase`, REASON)).status).toBe(403)
    expect((await log.readBody(index)).status).toBe(200)
  })
})

describe('404', () => {
  it('a leaf that the log does not have', async () => {
    const { status, body } = await log.erase(999_999)
    expect([status, body.message]).toEqual([404, 'The log has no leaf 999999'])
  })
})

describe('409', () => {
  it('what verifiers need cannot be erased: the opening of the log, and erasures', async () => {
    const { status, body } = await log.erase(0)
    expect(status).toBe(409)
    expect(body.message).toMatch(/^The body of leaf 0 \(log_opened\) cannot be erased: verifiers need it/)
    const erasure = readIndex(await log.erase(readIndex(await log.beginTrail('then-erased'))))
    expect((await log.erase(erasure)).status).toBe(409)
  })

  it('an event in a detached month must be attached first', async () => {
    const index = readIndex(await log.beginTrail('detached'))
    const event = await log.readEvent(index)
    await app.sql('create temp table detached as select * from events where event_id = $1', [event?.event_id])
    await app.sql('delete from events where event_id = $1', [event?.event_id])
    const { status, body } = await log.erase(index)
    await app.sql('insert into events select * from detached')
    expect(status).toBe(409)
    expect(body.message).toBe(
      `The body of leaf ${index} is not in the database: an operator must attach its month before it can be erased`,
    )
  })
})
