import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson } from '../../../test/people.ts'
import { setTimeZoneFarFromUtc } from '../../../test/time-zone.ts'
import { declaredStatements } from '../../db/statement.ts'
import { makeBodyShapeCheck } from '../../lib/shape.ts'
import { HistoryFile } from './wire.ts'

setTimeZoneFarFromUtc()

const URL_OF_LOG = `${BASE_URL}/api/v2/membership-audit-log/acme`

let app: TestApp
let begun_s: number
beforeAll(async () => {
  app = await startTestApp()
  begun_s = app.clock.now().getTime() / 1000
  app.clock.advance(60_000)
  await addPerson(app, 'zoe', 'reader')
  await app.sql("update users set display_name = '=Zoe Z.' where name = 'zoe'")
  app.clock.advance(60_000)
  await app.admin.put('/members/acme/zoe', { role: 'member' })
  app.clock.advance(60_000)
  await app.admin.delete('/members/acme/zoe')
})
afterAll(() => app.stop())

const log = async (query = '') => (await app.admin.get(`/membership-audit-log/acme${query}`)).body
const summarizeEvents = (body: { events: { user: string; role: string }[] }) =>
  body.events.map(({ user, role }) => `${user} ${role}`.trim())

describe('200', () => {
  it('returns the newest first, in the envelope of the specification', async () => {
    const body = await log('?per_page=3')
    expect(body).toEqual({
      page: 1,
      per_page: 3,
      total_pages: 3,
      total_count: 7,
      events: expect.any(Array),
      _links: {
        self: { href: `${URL_OF_LOG}?per_page=3` },
        first: { href: `${URL_OF_LOG}?per_page=3&page=1` },
        next: { href: `${URL_OF_LOG}?per_page=3&page=2` },
        last: { href: `${URL_OF_LOG}?per_page=3&page=3` },
      },
    })
    expect(body.events[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{32}$/),
      event_type: 'removed',
      user: '=Zoe Z.',
      changed_by: 'ada',
      role: '',
      previous_role: 'member',
      source: 'app',
      created_at: begun_s + 180,
    })
    const types = body.events.map(({ event_type }: { event_type: string }) => event_type)
    expect(types).toEqual(['removed', 'changed', 'added'])
    expect(body.events[2]).toMatchObject({ user: 'zoe', role: 'reader', previous_role: '', source: 'script' })
  })

  it('pages through everything once, in either direction', async () => {
    for (const direction of ['asc', 'desc']) {
      const ids: string[] = []
      for (const page of [1, 2, 3, 4, 5]) {
        const { events } = await log(`?per_page=2&page=${page}&sort_dir=${direction}`)
        ids.push(...events.map(({ id }: { id: string }) => id))
      }
      expect(new Set(ids).size).toBe(7)
      const whole = await log(`?per_page=100&sort_dir=${direction}&search=a&sort_by=when`)
      expect(ids).toEqual(expect.arrayContaining(whole.events.map(({ id }: { id: string }) => id)))
    }
    expect(summarizeEvents(await log('?sort_dir=asc&per_page=4'))).toEqual([
      'ada admin',
      'max member',
      'sam snapshotter',
      'rita reader',
    ])
  })

  it.each([
    ['?event_type=removed', ['=Zoe Z.']],
    ['?event_type=changed', ['=Zoe Z. member']],
    ['?role=admin', ['ada admin']],
    ['?role=admin&role=snapshotter&sort_dir=asc', ['ada admin', 'sam snapshotter']],
    ['?source=app&sort_dir=asc', ['=Zoe Z. member', '=Zoe Z.']],
    ['?source=scim&source=invitation', []],
    ['?search=ZO', ['=Zoe Z.', '=Zoe Z. member', 'zoe reader']],
    ['?search=ada&sort_dir=asc', ['ada admin', '=Zoe Z. member', '=Zoe Z.']],
    ['?search=%25', []],
    ['?search=&event_type=removed', ['=Zoe Z.']],
    ['?sort_by=user&sort_dir=asc&source=app', ['=Zoe Z. member', '=Zoe Z.']],
    [
      '?sort_by=role&sort_dir=asc&event_type=added',
      ['ada admin', 'max member', 'rita reader', 'zoe reader', 'sam snapshotter'],
    ],
    ['?sort_by=user&sort_dir=desc&event_type=added&per_page=2', ['zoe reader', 'sam snapshotter']],
    ['?sort_by=changed_by&sort_dir=asc&per_page=2', ['=Zoe Z. member', '=Zoe Z.']],
    ['?sort_by=source&sort_dir=desc&per_page=2', ['zoe reader', 'rita reader']],
    ['?page=9', []],
    ['?page=1000000&per_page=100', []],
    ['?page=1000000&per_page=100&search=a', []],
  ])('%s', async (query, expected) => {
    expect(summarizeEvents(await log(query))).toEqual(expected)
  })

  it('bounds the time on both sides, inclusively', async () => {
    const from = begun_s + 60
    expect(summarizeEvents(await log(`?from_timestamp=${from}&to_timestamp=${from + 60}`))).toEqual([
      '=Zoe Z. member',
      'zoe reader',
    ])
    expect((await log(`?to_timestamp=${begun_s}`)).total_count).toBe(4)
  })

  it('keeps the query in its links', async () => {
    const { _links } = await log('?role=reader&role=admin&per_page=1&page=2')
    expect(_links.next.href).toBe(`${URL_OF_LOG}?role=reader&role=admin&per_page=1&page=3`)
    expect(_links.prev.href).toBe(`${URL_OF_LOG}?role=reader&role=admin&per_page=1&page=1`)
  })

  it('never goes back in time, whatever the clock of a server says', async () => {
    app.clock.advance(-3_600_000)
    await app.admin.put('/members/acme/sam', { role: 'reader' })
    app.clock.advance(3_600_000)
    await app.admin.put('/members/acme/sam', { role: 'snapshotter' })
    const { events } = await log('?per_page=2')
    expect(events.map(({ created_at }: { created_at: number }) => created_at)).toEqual([
      begun_s + 180,
      begun_s + 180,
    ])
  })

  it('finds page 10,000 at the cost of page 1', async () => {
    await app.sql(`insert into membership_events (org_id, event_no, event_id, kind, user_id, user_name, changed_by, role,
        source, created_at)
      select o.org_id, o.membership_events + i, gen_random_uuid(), 'changed', u.user_id, 'u' || i, 'x', 'reader', 'scim',
        now()
      from orgs o, users u, generate_series(1, 100000) i where o.name = 'acme' and u.name = 'max'`)
    await app.sql("update orgs set membership_events = membership_events + 100000 where name = 'acme'")
    await app.sql('analyze membership_events')
    expect((await log('?per_page=10&page=10000')).events).toHaveLength(10)
    const plan = await explainStatement('range', [await findAcmeId(), 90_000, 90_009])
    expect(plan).toMatch(/Index Cond: .*event_no >= .*event_no <= /)
    expect(plan).not.toMatch(/Sort|Seq Scan|Filter/)
  })

  it.each([
    ['when', 'membership_events_by_time'],
    ['user', 'membership_events_by_user'],
    ['role', 'membership_events_by_role'],
    ['changed_by', 'membership_events_by_actor'],
    ['source', 'membership_events_by_source'],
  ])('walks an index in the order of %s, in both directions', async (sort, index) => {
    for (const direction of ['asc', 'desc']) {
      const plan = await explainStatement(`by_${sort}_${direction}`, [
        await findAcmeId(),
        null,
        null,
        null,
        null,
        null,
        null,
        10,
        0,
      ])
      expect(plan).toContain(index)
      expect(plan).not.toMatch(/Sort|Seq Scan/)
    }
  })
})

async function findAcmeId(): Promise<unknown> {
  return (await app.sql("select org_id from orgs where name = 'acme'"))[0]?.org_id
}

/** The query plan of a declared statement, with the settings of the pool. */
async function explainStatement(name: string, values: unknown[]): Promise<string> {
  const made = declaredStatements.find(statement => statement.name === `membership_history.${name}`)
  await app.sql('begin')
  await app.sql('set local enable_seqscan = off')
  const rows = await app.sql(`explain ${made?.text}`, values)
  await app.sql('rollback')
  return rows.map(row => row['QUERY PLAN']).join('\n')
}

describe('200 as CSV', () => {
  it('lists the oldest first and escapes formulas', async () => {
    const { status, headers, text } = await app.admin.get('/membership-audit-log/acme/csv?search=zoe')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(headers['content-disposition']).toContain('acme-membership-audit-log.csv')
    const countLines = text.trim().split('\n')
    expect(countLines[0]).toBe('timestamp,epoch_seconds,id,event,user,role,previous_role,changed_by,source')
    expect(countLines.slice(1).map(line => line.split(',').slice(3).join(','))).toEqual([
      'added,zoe,reader,,admin program,script',
      "changed,'=Zoe Z.,member,reader,ada,app",
      "removed,'=Zoe Z.,,member,ada,app",
    ])
    expect(countLines.slice(1).map(line => line.split(',').slice(0, 2))).toEqual([
      ['2026-03-03T12:01:00.000Z', String(begun_s + 60)],
      ['2026-03-03T12:02:00.000Z', String(begun_s + 120)],
      ['2026-03-03T12:03:00.000Z', String(begun_s + 180)],
    ])
  })

  it('accepts the same filters, and contains everything without one', async () => {
    const countLines = async (query: string) =>
      (await app.admin.get(`/membership-audit-log/acme/csv${query}`)).text.trim().split('\n').length - 1
    expect(await countLines('?event_type=removed')).toBe(1)
    expect(await countLines('?role=admin&role=snapshotter')).toBe(3)
    expect(await countLines('')).toBe((await log()).total_count)
  })
})

describe('200 as JSON', () => {
  it('has the events of the CSV file, with exact times in UTC', async () => {
    const { headers, text } = await app.admin.get('/membership-audit-log/acme/json?search=zoe')
    expect(headers['content-disposition']).toContain('acme-membership-audit-log.json')
    const { organization, events } = JSON.parse(text)
    expect(organization).toBe('acme')
    expect(events[0]).toMatchObject({ happened_at: '2026-03-03T12:01:00.000Z', user: 'zoe', role: 'reader' })
    const csv = await app.admin.get('/membership-audit-log/acme/csv?search=zoe')
    expect(events).toHaveLength(csv.text.trim().split('\n').length - 1)
  })

  it('is documented as the JSON that it is', async () => {
    const { text } = await app.admin.get('/membership-audit-log/acme/json')
    expect(makeBodyShapeCheck(HistoryFile)(JSON.parse(text), '')).toBeUndefined()
    const { paths } = (await app.anonymous.get('/openapi.json')).body
    const { content } = paths['/membership-audit-log/{org}/json'].get.responses[200]
    expect(content).toMatchObject({
      'application/json': { schema: { $ref: '#/components/schemas/MembershipHistoryFile' } },
    })
  })

  it('is a list without events if nothing matches', async () => {
    const { text } = await app.admin.get('/membership-audit-log/acme/json?search=nobody-at-all')
    expect(JSON.parse(text).events).toEqual([])
  })
})

describe('400', () => {
  it.each([
    ['page=0', 'query.page'],
    ['page=1000001', 'query.page'],
    ['per_page=0', 'query.per_page'],
    ['per_page=101', 'query.per_page'],
    ['event_type=gone', 'query.event_type'],
    ['role=emperor', 'query.role[0]'],
    ['source=web', 'query.source[0]'],
    ['sort_by=shoe_size', 'query.sort_by'],
    ['sort_dir=up', 'query.sort_dir'],
    ['from_timestamp=yesterday', 'query.from_timestamp'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await app.admin.get(`/membership-audit-log/acme?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })

  it.each([
    ['event_type=gone', 'query.event_type'],
    ['role=emperor', 'query.role[0]'],
    ['page=1', 'query.page'],
  ])('refuses %s for the CSV', async (query, field) => {
    const { status, body } = await app.admin.get(`/membership-audit-log/acme/csv?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})

describe('403', () => {
  it('refuses everyone but admins', async () => {
    for (const client of [app.member, app.snapshotter, app.reader]) {
      for (const path of ['/membership-audit-log/acme', '/membership-audit-log/acme/csv']) {
        const { status, body } = await client.get(path)
        expect(status).toBe(403)
        expect(body).toEqual({ message: "You don't have permission to access this resource" })
      }
    }
  })
})
