// Erasure against the log check and the application's privileges: only what an erasure names may be missing.
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPolicyRequiring, putPolicy } from './environments.ts'
import { type Erasing, prepareErasure, readIndex } from './erasures.ts'
import { ORG, SECRET_KEY, startTestApp, type TestApp } from './harness.ts'
import { buildDatabaseUrl, makeDataDirectory, runProgram } from './service.ts'

let app: TestApp
let log: Erasing
beforeAll(async () => {
  app = await startTestApp()
  log = await prepareErasure(app)
  await putPolicy(app, 'prod-rules', buildPolicyRequiring())
  await log.beginTrail('first')
  const indexes = [
    await log.beginTrail('second'),
    await log.reportArtifact('first'),
    await log.attest('first'),
  ].map(readIndex)
  for (const index of indexes) await log.erase(index)
})
afterAll(() => app.stop())

describe('the remains of erased events', () => {
  it.each([
    ['a verdict', `update attestations set is_compliant = not is_compliant where reported_by = 'erased'`],
    ['an artifact', `update artifact_reports set filename = 'other' where reported_by = 'erased'`],
    ['a trail', `update trails set name = 'other' where name = 'second'`],
    [
      'the time of an event',
      `update events set happened_at = happened_at - interval '1 day' where actor = 'erased'`,
    ],
    ['the kind of an event', `update events set kind = 'flow_created' where actor = 'erased'`],
    ['an event that says something again', `update events set request_id = 'r' where actor = 'erased'`],
    ['a flow', `update events set flow_id = trail_id where actor = 'erased' and flow_id is not null`],
  ])('is covered by the leaf of the erasure: %s', async (_, change) => {
    expect(await log.findProblems()).toEqual([])
    await app.sql('begin')
    await app.sql(change)
    const found = await log.findProblems()
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
    const index = readIndex(await log.beginTrail(`lost-${indexes.size}`))
    const erased = readIndex(await log.beginTrail(`erased-${indexes.size}`))
    await log.erase(erased)
    for (const one of [index, erased]) indexes.set(one, (await log.readEvent(one)).event_id)
    expect(await log.findProblems()).toEqual([])
    await app.sql('begin')
    await change({ index, erased })
    const found = await log.findProblems()
    await app.sql('rollback')
    expect(found).toContain(`${ORG}: body of leaf ${index} is missing and no erasure is recorded`)
  })

  it('is found even if the erasure was changed to name it', async () => {
    const index = readIndex(await log.beginTrail('covered-up'))
    const other = readIndex(await log.beginTrail('really-erased'))
    const erasure = readIndex(await log.erase(other))
    const [event, erased] = [await log.readEvent(index), await log.readEvent(erasure)]
    await app.sql('begin')
    await app.sql(
      `update events e set data = e.data || jsonb_build_object('index', $2::int, 'event', left(x.event_id::text, 32))
       from events x where e.event_id = $1 and x.event_id = $3`,
      [erased?.event_id, index, event?.event_id],
    )
    await app.sql(
      `update events set actor = 'erased', request_id = 'erased', caller = null, parts = null, salt = null,
         data = jsonb_build_object('erased_by', $2::text) where event_id = $1`,
      [event?.event_id, erased?.event_id.slice(0, 32)],
    )
    const found = await log.findProblems()
    await app.sql('rollback')
    expect(found).toContain(
      `${ORG}: leaf ${erasure} (body_erased) does not fit its event: the event was changed`,
    )
  })

  it('cannot be replaced by the body of another leaf', async () => {
    const [a, b] = [readIndex(await log.beginTrail('leaf-a')), readIndex(await log.beginTrail('leaf-b'))]
    const [first, second] = [await log.readEvent(a), await log.readEvent(b)]
    await app.sql('begin')
    await app.sql(
      `update events e set actor = x.actor, request_id = x.request_id, data = x.data, caller = x.caller, parts = x.parts,
         salt = x.salt, trail_id = x.trail_id from events x where e.event_id = $1 and x.event_id = $2`,
      [second?.event_id, first?.event_id],
    )
    const found = await log.findProblems()
    await app.sql('rollback')
    expect(found.filter(problem => problem.includes(`leaf ${b} `))).toEqual([
      expect.stringMatching(/does not fit its event: the event was changed$/),
    ])
  })
})

describe('the application role', () => {
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
    ['another author of a policy', `update policy_versions set created_by = 'mallory'`],
    ['another text of a policy', `update policy_versions set policy_yaml = '', created_by = 'erased'`],
    ['another name in the history of members', `update membership_events set user_name = 'mallory'`],
    ['another role in the history of members', `update membership_events set role = 'admin'`],
  ])('can erase, but never rewrite: %s', async (_, change) => {
    await log.beginTrail('kept')
    await log.attest('kept')
    await log.reportArtifact('kept')
    await app.sql('begin')
    await app.sql('set local role waybill_app')
    await app.sql(`select set_config('app.org', $1, true)`, [log.org_id])
    await expect(app.sql(`${change} where org_id = '${log.org_id}'`)).rejects.toThrow(
      /permission denied|row-level security/,
    )
    await app.sql('rollback')
  })

  it('cannot erase with the erasure of another event, nor change an erased one', async () => {
    const index = readIndex(await log.beginTrail('guarded'))
    const other = readIndex(await log.beginTrail('guarded-too'))
    const erasure = await log.readEvent(readIndex(await log.erase(other)))
    const event = await log.readEvent(index)
    const setErased = `update events set actor = 'erased', request_id = 'erased', caller = null, parts = null, salt = null,
      data = jsonb_build_object('erased_by', $1::text) where event_id = $2 returning event_id`
    const erased_by = erasure.event_id.slice(0, 32)
    await app.sql('begin')
    await app.sql('set local role waybill_app')
    await app.sql(`select set_config('app.org', $1, true)`, [log.org_id])
    await app.sql('savepoint before')
    await expect(app.sql(setErased, [erased_by, event?.event_id])).rejects.toThrow(/row-level security/)
    await app.sql('rollback to before')
    const again = await app.sql(setErased, [erased_by, (await log.readEvent(other))?.event_id])
    await app.sql('rollback')
    expect(again).toEqual([])
  })
})

describe('the operator', () => {
  const runErase = (...args: string[]) =>
    runProgram(['admin', 'log', 'erase', ORG, ...args], {
      data_dir: makeDataDirectory(),
      env: {
        DATABASE_URL: buildDatabaseUrl(app.database),
        WAYBILL_SECRET_KEY: SECRET_KEY,
        WAYBILL_EVIDENCE_URL: pathToFileURL(app.evidence_dir).href,
      },
    })

  it('erases a body, and learns what cannot be erased', async () => {
    const index = readIndex(await log.beginTrail('by-operator'))
    const reason = ['--reason', 'legal_obligation']
    expect(await runErase(String(index), ...reason)).toMatchObject({
      code: 0,
      stdout: `erased the body of leaf ${index} of the log of acme\n`,
    })
    const { body } = await log.readBody(index)
    expect(body.message).toContain('was erased by admin program')
    expect((await runErase('0', ...reason)).stderr).toContain('cannot be erased: verifiers need it')
    expect((await runErase('0', '--reason', 'why')).stderr).toContain('--reason must be one of')
    expect((await runErase('x', ...reason)).stderr).toContain('x is not the number of a leaf')
    expect(await log.findProblems()).toEqual([])
  })
})
