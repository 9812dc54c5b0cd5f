import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson } from '../../../test/people.ts'
import { listStatements } from '../../../test/statement-log.ts'
import { setTimeZoneFarFromUtc } from '../../../test/time-zone.ts'

setTimeZoneFarFromUtc()

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.admin.put('/flows/acme', { name: 'built', description: '' })
  await app.admin.put('/environments/acme', { name: 'prod', type: 'K8S' })
  await app.sql(
    `insert into events (org_id, event_id, kind, happened_at, actor, request_id, data)
     select org_id, ('fffffff0-0000-7000-8000-' || lpad(to_hex(i), 8, '0') || '0000')::uuid, 'flow_created',
       '2026-03-03T10:00:00.123Z', '=cmd|''/c calc''!A1', 'x', '{"flow_name": "many"}'
     from orgs, generate_series(1, 1200) i where name = 'acme'`,
  )
})
afterAll(() => app.stop())

const getCsv = async (query = '') => (await app.admin.get(`/audit-events/acme/export${query}`)).text
const getJson = async (query = '') =>
  JSON.parse((await app.admin.get(`/audit-events/acme/export?format=json${query}`)).text)

describe('200', () => {
  it('has all events and not one page, newest first, as CSV', async () => {
    const lines = (await getCsv()).trim().split('\n')
    expect(lines[0]).toBe(
      'timestamp,epoch_seconds,id,kind,actor,sentence,flow,trail,environment,policy,control,data,page',
    )
    const ids = lines.slice(1).map(line => line.split(',')[2])
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(1200)
    expect(lines.at(-1)).toContain(',flow_created,ada,ada created flow built,built,')
  })

  it('has exact times in UTC and no formula', async () => {
    const [, first = ''] = (await getCsv()).split('\n')
    expect(first).toMatch(/^2026-03-03T10:00:00\.123Z,1772532000\.123,/)
    expect(first).toContain(`,'=cmd|'/c calc'!A1,'=cmd|'/c calc'!A1 created flow many,`)
  })

  it('is JSON with the same events', async () => {
    const { organization, exported_at, events } = await getJson()
    expect(organization).toBe('acme')
    expect(exported_at).toBe(app.clock.now().toISOString())
    expect(events[0]).toMatchObject({
      happened_at: '2026-03-03T10:00:00.123Z',
      kind: 'flow_created',
      sentence: "=cmd|'/c calc'!A1 created flow many",
    })
    // The CSV file has the event of the JSON file, and the line of its columns.
    expect((await getCsv()).trim().split('\n')).toHaveLength(events.length + 2)
  })

  it.each([
    ['&flow_name=built', ['flow_created']],
    ['&environment_name=prod', ['environment_created']],
    ['&kind=environment_created', ['environment_created']],
    ['&actor=nobody', []],
    ['&flow_name=no-such-flow', []],
    ['&to_timestamp=1', []],
  ])('has what %s matches', async (query, kinds) => {
    const { events } = await getJson(query)
    expect(events.map(({ kind }: { kind: string }) => kind)).toEqual(kinds)
  })

  it('reads 500 events at a time', async () => {
    const names = await listStatements(app, () => getCsv())
    expect(names.filter(name => name === 'audit_events.look')).toHaveLength(3)
  })

  it('is for auditors too', async () => {
    const auditor = await addPerson(app, 'oda', 'auditor')
    for (const path of ['export', 'export?format=json', 'values'])
      expect((await auditor.get(`/audit-events/acme/${path}`)).status).toBe(200)
  })
})

describe('the values for filters', () => {
  it('are those that events have', async () => {
    const { body } = await app.admin.get('/audit-events/acme/values')
    expect(body).toMatchObject({ flows: ['built'], environments: ['prod'], controls: [] })
    expect(body.kinds).toEqual(expect.arrayContaining(['environment_created', 'flow_created', 'log_opened']))
    expect(body.actors).toContain('ada')
    expect(body.examined).toBeGreaterThan(1200)
  })
})

describe('one event', () => {
  it('is the one of the list', async () => {
    const { events } = (await app.admin.get('/audit-events/acme?flow_name=built')).body
    const { status, body } = await app.admin.get(`/audit-events/acme/events/${events[0].id}`)
    expect(status).toBe(200)
    expect(body).toEqual(events[0])
  })

  it.each(['nonsense', '019cb391-c200-7014-81bc-1e9bcf0f'])('%s does not exist', async id => {
    const { status, body } = await app.admin.get(`/audit-events/acme/events/${id}`)
    expect([status, body.message]).toEqual([404, `Event '${id}' does not exist in 'acme'`])
  })

  it('of another organization does not exist', async () => {
    const other = (await app.admin.get('/audit-events/ada')).body.events[0]
    expect((await app.admin.get(`/audit-events/acme/events/${other.id}`)).status).toBe(404)
  })
})

describe('400', () => {
  it.each(['format=xml', 'flow_name=a&control=b', 'from_timestamp=2&to_timestamp=1', 'cursor=x'])(
    'refuses %s',
    async query => {
      expect((await app.admin.get(`/audit-events/acme/export?${query}`)).status).toBe(400)
    },
  )
})

describe('403', () => {
  it('refuses everyone else', async () => {
    for (const path of ['export', 'values', 'events/x'])
      for (const client of [app.member, app.snapshotter, app.reader])
        expect((await client.get(`/audit-events/acme/${path}`)).status).toBe(403)
  })
})
