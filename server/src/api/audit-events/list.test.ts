import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { addPerson, tokenFor } from '../../../test/people.ts'

let app: TestApp
let begun_s: number
beforeAll(async () => {
  app = await startTestApp()
  app.clock.advance(3_600_000)
  begun_s = app.clock.now().getTime() / 1000
  await app.member.put('/flows/acme', { name: 'built', description: '' })
  app.clock.advance(60_000)
  await app.member.put('/flows/acme', { name: 'other', description: '' })
  await app.admin.put('/environments/acme', { name: 'prod', type: 'K8S' })
  app.clock.advance(60_000)
  await app.admin.put('/flows/acme/built/archive')
})
afterAll(() => app.stop())

interface Listed {
  events: { id: string; kind: string; actor: string; timestamp: number; data: Record<string, unknown> }[]
  next: string | null
}

const list = async (query = ''): Promise<Listed> => (await app.admin.get(`/audit-events/acme${query}`)).body
const getKinds = ({ events }: Listed) => events.map(({ kind }) => kind)

describe('200', () => {
  it('lists newest first', async () => {
    const { events } = await list('?per_page=4')
    expect(events[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{32}$/),
      kind: 'flow_archived',
      actor: 'ada',
      timestamp: begun_s + 120,
      data: expect.any(Object),
      flow_name: 'built',
      trail_name: null,
      environment_name: null,
      policy_name: null,
      control: null,
      sentence: 'ada archived flow built',
      parts: [
        { text: 'ada', about: 'actor' },
        { text: ' archived flow ', about: null },
        { text: 'built', about: 'flow' },
      ],
      html_url: `${BASE_URL}/acme/settings/audit-events/${events[0]?.id}`,
    })
    expect(getKinds({ events, next: null })).toEqual([
      'flow_archived',
      'environment_created',
      'flow_created',
      'flow_created',
    ])
  })

  it.each([
    ['?kind=flow_created', ['flow_created', 'flow_created']],
    ['?kind=flow_archived&kind=environment_created', ['flow_archived', 'environment_created']],
    ['?actor=max', ['flow_created', 'flow_created']],
    ['?actor=nobody', []],
    ['?flow_name=built', ['flow_archived', 'flow_created']],
    ['?environment_name=prod', ['environment_created']],
    ['?flow_name=no-such-flow', []],
    ['?flow_name=built&actor=max', ['flow_created']],
  ])('%s', async (query, kinds) => {
    expect(getKinds(await list(query))).toEqual(kinds)
  })

  it('bounds the time on both sides, inclusively', async () => {
    expect(getKinds(await list(`?from_timestamp=${begun_s + 120}`))).toEqual(['flow_archived'])
    const first = `?from_timestamp=${begun_s}&to_timestamp=${begun_s + 60}`
    expect(getKinds(await list(first))).toEqual(['environment_created', 'flow_created', 'flow_created'])
    expect(await list(`?from_timestamp=${begun_s + 9_000_000}`)).toEqual({ events: [], next: null })
    expect(await list('?to_timestamp=1')).toEqual({ events: [], next: null })
  })

  it('is paged without gaps while events are added', async () => {
    const all = (await list('?per_page=100')).events.map(({ id }) => id)
    const seen: string[] = []
    let next: string | null = null
    do {
      const page: Listed = await list(`?per_page=3${next === null ? '' : `&cursor=${next}`}`)
      seen.push(...page.events.map(({ id }) => id))
      next = page.next
      await app.admin.put('/flows/acme', { name: `added-${seen.length}`, description: '' })
    } while (next !== null)
    expect(seen).toEqual(all)
  })

  it('finds rare events behind many others, in bounded scans', async () => {
    await app.sql(`insert into events (org_id, event_id, kind, happened_at, actor, request_id, data)
      select org_id, ('fffffff0-0000-7000-8000-' || lpad(to_hex(i), 8, '0') || '0000')::uuid, 'snapshot_taken',
        '2026-03-03', 'x', 'x', '{}'
      from orgs, generate_series(1, 12000) i where name = 'acme'`)
    const first = await list('?kind=flow_archived')
    expect(first.events).toEqual([])
    expect(getKinds(await list(`?kind=flow_archived&cursor=${first.next}`))).toEqual(['flow_archived'])
  })

  it('contains no secrets', async () => {
    await app.admin.post('/invitations/acme', { email: 'ines@example.com', role: 'reader' })
    const ines = await addPerson(app, 'ines')
    const token = await tokenFor(app, 'ines@example.com')
    expect((await ines.post('/user/invitations/accept', { token })).status).toBe(200)
    const texts = (await app.sql('select data::text as data from events')).map(({ data }) => String(data))
    for (const secret of [token, ines.key ?? '', app.admin.key ?? '']) {
      expect(texts.filter(text => text.includes(secret))).toEqual([])
    }
    // No complete token of any kind: a key hint ends before the secret.
    expect(texts.filter(text => /wb_[a-z]+_[0-9A-Za-z]{12}_/.test(text))).toEqual([])
    expect(texts.filter(text => /secret_hash|token_hash|password/.test(text))).toEqual([])
  })
})

describe('400', () => {
  it.each([
    ['kind=no_such_kind', 'query.kind[0]'],
    ['cursor=nonsense', 'query.cursor'],
    ['per_page=101', 'query.per_page'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await app.admin.get(`/audit-events/acme?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })

  it('refuses a flow together with an environment', async () => {
    expect((await app.admin.get('/audit-events/acme?flow_name=a&environment_name=b')).status).toBe(400)
  })
})

describe('403', () => {
  it('refuses everyone but admins', async () => {
    for (const client of [app.member, app.snapshotter, app.reader]) {
      expect((await client.get('/audit-events/acme')).status).toBe(403)
    }
  })
})
