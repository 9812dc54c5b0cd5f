// Erasure: what was recorded about a person goes, and the log stays as it was. Whatever else goes missing is found.
import { isConsistent, isIncluded, parseProofFile, provesInclusion } from '@waybill/transparency-log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { computeTag } from '../src/domain/log/commit.ts'
import { ERASURE_REASONS } from '../src/domain/log/erasure.ts'
import { replay } from '../src/domain/log/replay.ts'
import { findLogProblems } from '../src/log/check.ts'
import { makeFile, ORG, ROLE_USERS, startTestApp, type TestApp } from './harness.ts'

const FLOW = 'shipping'
const AUTHOR = 'Grace Hopper <grace@example.com>'
const SHA1 = 'a'.repeat(40)
const FINGERPRINT = 'b'.repeat(64)
const REASON = { reason: 'data_subject_request' }

let app: TestApp
let org_id: string
beforeAll(async () => {
  app = await startTestApp()
  org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  await app.admin.put(`/flows/${ORG}`, { name: FLOW, description: '' })
})
afterAll(() => app.stop())

const findProblems = () => findLogProblems(makeOwnerDb(app.owner))
const readIndex = ({ headers }: { headers: Record<string, unknown> }) =>
  Number(/index=(\d+)/.exec(String(headers['waybill-log']))?.[1])
const erase = (index: number, body: unknown = REASON) => app.admin.post(`/log/${ORG}/bodies/${index}/erase`, body)
const readBody = (index: number) => app.reader.get(`/log/${ORG}/bodies/${index}`)

const beginTrail = (name: string) =>
  app.member.put(`/trails/${ORG}/${FLOW}`, {
    name,
    description: `asked for by ${AUTHOR}`,
    user_data: { reviewer: AUTHOR },
    git_commit_info: { sha1: SHA1, author: AUTHOR, message: `by ${AUTHOR}`, branch: 'main' },
  })

const attest = (trail: string) =>
  app.member.form('POST', `/attestations/${ORG}/${FLOW}/trail/${trail}/generic`, {
    data_json: JSON.stringify({
      attestation_name: 'review',
      is_compliant: true,
      description: `reviewed by ${AUTHOR}`,
      git_commit_info: { sha1: SHA1, author: AUTHOR },
    }),
    attachment_file: makeFile(`signed: ${AUTHOR}, for ${trail}`, 'review.txt'),
  })

const reportArtifact = (trail_name: string, fingerprint = FINGERPRINT) =>
  app.member.post(`/artifacts/${ORG}/${FLOW}`, {
    fingerprint,
    filename: 'app',
    git_commit: SHA1,
    git_commit_info: { sha1: SHA1, author: AUTHOR },
    build_url: 'https://ci.example.com/1',
    commit_url: 'https://git.example.com/1',
    trail_name,
    template_reference_name: 'app',
  })

/** All that the tables of the organization say, as text. */
async function searchTables(needle: string): Promise<string[]> {
  const tables = ['events', 'attestations', 'artifact_reports', 'artifacts', 'trails']
  const found = await Promise.all(
    tables.map(table =>
      app.sql(`select '${table}' as name from ${table} t where t.org_id = $1 and t::text like $2 limit 1`, [
        org_id,
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

async function readEvent(index: number) {
  const [row] = await app.sql(
    `select e.event_id, e.actor, e.data, e.salt, e.parts, e.caller from events e join log_leaves l using (org_id, event_id)
     where l.org_id = $1 and l.seq = $2`,
    [org_id, index],
  )
  return row
}

describe('an erased body', () => {
  it('is gone from the database with its parts, and the check accepts that', async () => {
    const trail = readIndex(await beginTrail('first'))
    const artifact = readIndex(await reportArtifact('first'))
    const attested = await attest('first')
    expect(attested.status).toBe(201)
    const attestation = readIndex(attested)
    expect(await searchTables(AUTHOR)).not.toEqual([])
    for (const index of [trail, artifact, attestation]) {
      const { status, body } = await erase(index)
      expect([status, body]).toEqual([
        200,
        { index, erased_by: ROLE_USERS.admin.name, erased_at: expect.any(Number), reason: REASON.reason },
      ])
    }
    expect(await searchTables(AUTHOR)).toEqual([])
    expect(await readEvent(trail)).toMatchObject({ actor: 'erased', salt: null, parts: null, caller: null })
    expect(await findProblems()).toEqual([])
  })

  it('is answered with who erased it, when and why', async () => {
    const index = readIndex(await beginTrail('asked-for'))
    const erased = await erase(index, { reason: 'recorded_by_mistake' })
    const { status, body } = await readBody(index)
    expect(status).toBe(410)
    expect(body.message).toMatch(
      new RegExp(
        `^The body of leaf ${index} was erased by ${ROLE_USERS.admin.name} on \\S+Z \\(recorded_by_mistake\\), as leaf ${readIndex(erased)} records$`,
      ),
    )
    const { body: record } = await readBody(readIndex(erased))
    expect(JSON.parse(record.body)).toMatchObject({
      kind: 'body_erased',
      data: { epoch: 1, index, kind: 'trail_reported', reason: 'recorded_by_mistake' },
    })
  })

  it('leaves all proofs valid, and the leaf is found by its subjects as before', async () => {
    const index = readIndex(await beginTrail('proved'))
    const before = await readLeaf(index)
    const proof = parseProofFile((await app.reader.get(`/log/${ORG}/proof?index=${index}`)).text)
    const size = Number(/\n(\d+)\n/.exec((await app.reader.get(`/log/${ORG}/checkpoint`)).text)?.[1])
    await erase(index)
    expect(await readLeaf(index)).toEqual(before)
    const leaf_hash = Buffer.from(before.hash, 'base64')
    expect(provesInclusion(proof, leaf_hash)).toBe(true)
    const now = parseProofFile((await app.reader.get(`/log/${ORG}/proof?index=${index}`)).text)
    expect(provesInclusion(now, leaf_hash)).toBe(true)
    const [, new_size, new_root] = (await app.reader.get(`/log/${ORG}/checkpoint`)).text.split('\n')
    const [, , old_root] = (await app.reader.get(`/log/${ORG}/proof?index=${index}&size=${size}`)).text
      .slice(proof ? 0 : 1)
      .split('\n\n')
      .flatMap(part => (part.includes('/log/') ? part.split('\n') : []))
    const { body } = await app.reader.get(`/log/${ORG}/consistency?from_size=${size}&to_size=${new_size}`)
    const hashes = body.hashes.map((hash: string) => Buffer.from(hash, 'base64'))
    expect(
      isConsistent(
        { size, root: Buffer.from(String(old_root), 'base64') },
        { size: Number(new_size), root: Buffer.from(String(new_root), 'base64') },
        hashes,
      ),
    ).toBe(true)
    void isIncluded
    const [head] = await app.sql('select tag_key from log_heads where org_id = $1', [org_id])
    const [trail] = await app.sql('select left(trail_id::text, 32) as id from trails where name = $1', ['proved'])
    const { body: log } = await app.reader.get(`/log/${ORG}/leaves`)
    const subject = { type: 'trail' as const, id: String(trail?.id) }
    const tag_key = head?.tag_key as Buffer
    const texts = log.leaves.map(({ leaf }: { leaf: string }) => leaf)
    expect(computeTag(tag_key, subject)).toMatch(/^[0-9a-f]{32}$/)
    expect(replay(texts, { tag_key, subject, from: 0, kinds: ['trail_reported'] })).toEqual({ indices: [index] })
    expect(replay(texts, { tag_key, subject, from: 0, kinds: ['body_erased'] })).toMatchObject({
      indices: [expect.any(Number)],
    })
  })

  it('is listed as erased', async () => {
    const index = readIndex(await beginTrail('listed'))
    await erase(index)
    const { body } = await app.reader.get(`/audit-events/${ORG}?kind=trail_reported&actor=erased`)
    expect(body.events[0]).toMatchObject({ actor: 'erased', data: { erased_by: expect.any(String) } })
    const trail = await app.reader.get(`/trails/${ORG}/${FLOW}/listed`)
    expect(trail.status).toBe(200)
    expect(trail.body.created_by).toBe('erased')
    expect(trail.body.git_commit_info).toEqual({ sha1: SHA1, branch: 'main' })
  })

  it('of an attestation leaves its verdict, which still counts', async () => {
    await beginTrail('counted')
    const index = readIndex(await attest('counted'))
    await erase(index)
    const { body } = await app.reader.get(`/attestations/${ORG}/${FLOW}/trail/counted`)
    const [attestation] = Array.isArray(body) ? body : body.attestations
    expect(attestation).toMatchObject({ is_compliant: true, reported_by: 'erased', description: '' })
    expect(JSON.stringify(attestation)).not.toContain('Hopper')
  })

  it('no longer counts for the storage of the organization, unless another attestation names its attachment', async () => {
    const readUsage = async () =>
      Number((await app.sql('select evidence_bytes::int from org_usage where org_id = $1', [org_id]))[0]?.evidence_bytes)
    await beginTrail('stored')
    const before = await readUsage()
    const first = readIndex(await attest('stored'))
    const second = readIndex(await attest('stored'))
    const used = await readUsage()
    expect(used).toBeGreaterThan(before)
    await erase(first)
    expect(await readUsage()).toBe(used)
    await erase(second)
    expect(await readUsage()).toBe(before)
  })

  it('is erased once: a second request gets the first erasure', async () => {
    const index = readIndex(await beginTrail('twice'))
    const first = await erase(index)
    const second = await erase(index, { reason: 'legal_obligation' })
    expect([second.status, second.body]).toEqual([200, first.body])
    expect(second.headers).not.toHaveProperty('waybill-log')
    const raced = readIndex(await beginTrail('raced'))
    const answers = await Promise.all([erase(raced), erase(raced)])
    expect(answers.map(({ status }) => status)).toContain(200)
    const records = await app.sql(
      `select from events where org_id = $1 and kind = 'body_erased' and (data ->> 'index')::int = $2`,
      [org_id, raced],
    )
    expect(records).toHaveLength(1)
    expect(await findProblems()).toEqual([])
  })
})

describe('what is left of erased events', () => {
  it.each([
    ['a verdict', `update attestations set is_compliant = not is_compliant where reported_by = 'erased'`],
    ['an artifact', `update artifact_reports set filename = 'other' where reported_by = 'erased'`],
    ['a trail', `update trails set name = 'other' where name = 'first'`],
    ['the time of an event', `update events set happened_at = happened_at - interval '1 day' where actor = 'erased'`],
    ['the kind of an event', `update events set kind = 'flow_created' where actor = 'erased'`],
    ['an event that says something again', `update events set request_id = 'r' where actor = 'erased'`],
    ['a flow', `update events set flow_id = trail_id where actor = 'erased' and flow_id is not null`],
  ])('is covered by the leaf of the erasure: %s', async (_, change) => {
    expect(await findProblems()).toEqual([])
    await app.sql('begin')
    await app.sql(change)
    const found = await findProblems()
    await app.sql('rollback')
    expect(found.length).toBeGreaterThan(0)
    for (const problem of found) expect(problem).toMatch(/leaf \d+/)
  })
})

describe('a body that is missing', () => {
  const HOSTILE: [string, (at: { index: number; erased: number }) => Promise<unknown>][] = [
    [
      'without any erasure',
      ({ index }) =>
        app.sql(`update events set salt = null, data = '{}', parts = null where event_id = $1`, [
          indexes.get(index),
        ]),
    ],
    [
      'with the erasure of another leaf',
      ({ index, erased }) =>
        app.sql(
          `update events e set actor = x.actor, request_id = x.request_id, data = x.data, caller = null, parts = null, salt = null
           from events x where e.event_id = $1 and x.event_id = $2`,
          [indexes.get(index), indexes.get(erased)],
        ),
    ],
    [
      'with the name of an event that is no erasure',
      ({ index }) =>
        app.sql(
          `update events set actor = 'erased', request_id = 'erased', caller = null, parts = null, salt = null,
             data = jsonb_build_object('erased_by', left(event_id::text, 32)) where event_id = $1`,
          [indexes.get(index)],
        ),
    ],
    [
      'with a name that no event has',
      ({ index }) =>
        app.sql(`update events set salt = null, data = '{"erased_by": "nobody"}' where event_id = $1`, [
          indexes.get(index),
        ]),
    ],
    [
      'with an erasure that has no leaf',
      async ({ index }) => {
        await app.sql(
          `insert into events (org_id, event_id, kind, happened_at, actor, request_id, data, salt)
           select e.org_id, 'ffffffff-ffff-7fff-bfff-ffffffff0000', 'body_erased', now(), 'ada', 'r', jsonb_build_object(
             'epoch', 1, 'index', $2::int, 'event', left(e.event_id::text, 32), 'kind', e.kind,
             'happened_at', to_char(e.happened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), null
           from events e where e.event_id = $1`,
          [indexes.get(index), index],
        )
        return app.sql(
          `update events set actor = 'erased', request_id = 'erased', caller = null, parts = null, salt = null,
             data = '{"erased_by": "ffffffff-ffff-7fff-bfff-ffffffff"}' where event_id = $1`,
          [indexes.get(index)],
        )
      },
    ],
  ]
  const indexes = new Map<number, string>()

  it.each(HOSTILE)('%s is found, and its leaf is named', async (_, change) => {
    const index = readIndex(await beginTrail(`lost-${indexes.size}`))
    const erased = readIndex(await beginTrail(`erased-${indexes.size}`))
    await erase(erased)
    for (const one of [index, erased]) indexes.set(one, String((await readEvent(one))?.event_id))
    expect(await findProblems()).toEqual([])
    await app.sql('begin')
    await change({ index, erased })
    const found = await findProblems()
    await app.sql('rollback')
    expect(found).toContain(`${ORG}: body of leaf ${index} is missing and no erasure is recorded`)
  })

  it('is found if the erasure was changed to name it', async () => {
    const index = readIndex(await beginTrail('covered-up'))
    const other = readIndex(await beginTrail('really-erased'))
    const erasure = readIndex(await erase(other))
    const [event, erased] = [await readEvent(index), await readEvent(erasure)]
    await app.sql('begin')
    await app.sql(
      `update events e set data = e.data || jsonb_build_object('index', $2::int, 'event', left(x.event_id::text, 32))
       from events x where e.event_id = $1 and x.event_id = $3`,
      [erased?.event_id, index, event?.event_id],
    )
    await app.sql(
      `update events set actor = 'erased', request_id = 'erased', caller = null, parts = null, salt = null,
         data = jsonb_build_object('erased_by', $2::text) where event_id = $1`,
      [event?.event_id, String(erased?.event_id).slice(0, 32)],
    )
    const found = await findProblems()
    await app.sql('rollback')
    expect(found).toContain(
      `${ORG}: leaf ${erasure} (body_erased) does not fit its event: the event was changed`,
    )
  })

  it('cannot be replaced by the body of another leaf', async () => {
    const [a, b] = [readIndex(await beginTrail('leaf-a')), readIndex(await beginTrail('leaf-b'))]
    const [first, second] = [await readEvent(a), await readEvent(b)]
    await app.sql('begin')
    await app.sql(
      `update events e set actor = x.actor, request_id = x.request_id, data = x.data, caller = x.caller, parts = x.parts,
         salt = x.salt, trail_id = x.trail_id from events x where e.event_id = $1 and x.event_id = $2`,
      [second?.event_id, first?.event_id],
    )
    const found = await findProblems()
    await app.sql('rollback')
    expect(found.filter(problem => problem.includes(`leaf ${b} `))).toEqual([
      expect.stringMatching(/does not fit its event: the event was changed$/),
    ])
  })
})

describe('the application role', () => {
  const tryAs = (sql: string) => {
    const client = makeOwnerDb(app.owner)
    void client
    return app.sql(sql)
  }

  it.each([
    ['another actor', `update events set actor = 'mallory'`],
    ['other data', `update events set data = data || '{"is_compliant": true}'`],
    ['no salt alone', 'update events set salt = null'],
    [
      'no event of the erasure',
      `update events set actor = 'erased', request_id = 'erased', caller = null, parts = null, salt = null,
         data = '{"erased_by": "01980000-0000-7000-8000-00000000"}'`,
    ],
    ['another kind', `update events set kind = 'flow_created'`],
    ['another time', 'update events set happened_at = now()'],
    ['another report', `update attestations set report = '{"is_compliant": true}', reported_by = 'erased'`],
    ['another reporter', `update attestations set reported_by = 'mallory'`],
    ['another verdict', 'update attestations set is_compliant = true'],
    ['another report of an artifact', `update artifact_reports set report = '{}', reported_by = 'erased'`],
    ['deleted events', 'delete from events'],
  ])('can erase, but never rewrite: %s', async (_, change) => {
    await beginTrail('kept')
    await attest('kept')
    await reportArtifact('kept')
    await app.sql('begin')
    await app.sql('set local role waybill_app')
    await app.sql(`select set_config('app.org_id', $1, true)`, [org_id])
    await expect(tryAs(`${change} where org_id = '${org_id}'`)).rejects.toThrow(
      /permission denied|row-level security/,
    )
    await app.sql('rollback')
  })

  it('cannot erase with the erasure of another event, nor change one that is erased', async () => {
    const index = readIndex(await beginTrail('guarded'))
    const other = readIndex(await beginTrail('guarded-too'))
    const erasure = await readEvent(readIndex(await erase(other)))
    const event = await readEvent(index)
    const setErased = `update events set actor = 'erased', request_id = 'erased', caller = null, parts = null, salt = null,
      data = jsonb_build_object('erased_by', $1::text) where event_id = $2 returning event_id`
    const erased_by = String(erasure?.event_id).slice(0, 32)
    await app.sql('begin')
    await app.sql('set local role waybill_app')
    await app.sql(`select set_config('app.org_id', $1, true)`, [org_id])
    await app.sql('savepoint before')
    await expect(app.sql(setErased, [erased_by, event?.event_id])).rejects.toThrow(/row-level security/)
    await app.sql('rollback to before')
    const again = await app.sql(setErased, [erased_by, (await readEvent(other))?.event_id])
    await app.sql('rollback')
    expect(again).toEqual([])
  })
})

describe('the bodies of a person', () => {
  it('are erased page by page, whether the person acted or is the subject', async () => {
    const { name } = ROLE_USERS.member
    const act = readIndex(await beginTrail('by-member'))
    const changed = await app.admin.put(`/members/${ORG}/${ROLE_USERS.reader.name}`, { role: 'member' })
    const kept = readIndex(changed)
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
    expect(requests).toBeLessThan(10)
    expect(erased).toBeGreaterThan(5)
    expect((await readBody(act)).status).toBe(410)
    expect((await readBody(kept)).status).toBe(200)
    const subject = await app.admin.post(`/log/${ORG}/people/${ROLE_USERS.reader.name}/erase`, REASON)
    expect(subject.body.erased).toBeGreaterThan(0)
    expect((await readBody(kept)).status).toBe(410)
    const left = await app.sql(
      `select kind from events where org_id = $1 and (actor = $2 or data ->> 'user' = $2)`,
      [org_id, name],
    )
    expect(left).toEqual([])
    expect(await findProblems()).toEqual([])
  })
})

describe('400', () => {
  it.each([
    ['no reason', {}, /reason/],
    ['a reason of another class', { reason: 'because' }, /reason/],
  ])('%s', async (_, body, problem) => {
    const { status, body: answer } = await erase(1, body)
    expect(status).toBe(400)
    expect(JSON.stringify(answer)).toMatch(problem)
    expect(ERASURE_REASONS).toContain(REASON.reason)
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
    const index = readIndex(await beginTrail('theirs'))
    expect((await app.member.post(`/log/${ORG}/bodies/${index}/erase`, REASON)).status).toBe(403)
    expect((await app.member.post(`/log/${ORG}/people/ada/erase`, REASON)).status).toBe(403)
    expect((await readBody(index)).status).toBe(200)
  })
})

describe('404', () => {
  it('a leaf that the log does not have', async () => {
    const { status, body } = await erase(999_999)
    expect([status, body.message]).toEqual([404, 'The log has no leaf 999999'])
  })
})

describe('409', () => {
  it('what verifiers need cannot be erased: the opening of the log, and erasures', async () => {
    const { status, body } = await erase(0)
    expect(status).toBe(409)
    expect(body.message).toMatch(/^The body of leaf 0 \(log_opened\) cannot be erased: verifiers need it/)
    const erasure = readIndex(await erase(readIndex(await beginTrail('then-erased'))))
    expect((await erase(erasure)).status).toBe(409)
  })

  it('an event in a detached month must be attached first', async () => {
    const index = readIndex(await beginTrail('detached'))
    const event = await readEvent(index)
    await app.sql('create temp table detached as select * from events where event_id = $1', [event?.event_id])
    await app.sql('delete from events where event_id = $1', [event?.event_id])
    const { status, body } = await erase(index)
    await app.sql('insert into events select * from detached')
    expect(status).toBe(409)
    expect(body.message).toBe(
      `The body of leaf ${index} is not in the database: an operator must attach its month before it can be erased`,
    )
  })
})
