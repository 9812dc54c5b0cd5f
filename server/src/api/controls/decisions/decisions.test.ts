import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl, buildDecision } from '../../../../test/controls.ts'
import { BASE_URL, makeFile, startTestApp, type TestApp } from '../../../../test/harness.ts'
import { makeBuild, makeFingerprint, nameTrail, SHA, WIRE_ID } from '../../../../test/reports.ts'
import { recordWaits } from '../../../../test/statement-log.ts'

interface Listed {
  decisions: { id: string; attestation_name: string; control_version: number | null }[]
  next: string | null
  per_page: number
}

const COLLECTED = { collected_at: 1_700_000_000, spooled: true }

let app: TestApp
let begun_s: number
let deploy_id: string

/** One decision a minute. */
async function decide(flow: string, trail: string, body: Record<string, unknown>) {
  app.clock.advance(60_000)
  const done = await app.member.post(`/attestations/acme/${flow}/trail/${trail}/system`, body)
  expect(done.status).toBe(201)
}

const makeNamedDecision = (
  attestation_name: string,
  is_compliant: boolean,
  more: Record<string, unknown> = {},
) => buildDecision('C1', is_compliant, { attestation_name, ...more })

beforeAll(async () => {
  app = await startTestApp()
  begun_s = app.clock.now().getTime() / 1000
  for (const flow of ['build', 'deploy', 'was']) {
    await app.member.put('/flows/acme', { name: flow, description: '' })
    await app.member.put(`/trails/acme/${flow}`, { name: 'run/1'.replace('/', '-') })
  }
  await app.member.put('/flows/acme/was/rename', { new_name: 'is' })
  await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('a'), nameTrail('run-1')))
  deploy_id = (await app.reader.get('/flows/acme/deploy')).body.id
  await decide('build', 'run-1', makeNamedDecision('early', true))
  await addControl(app, 'C1')
  await addControl(app, 'C2')
  await decide(
    'build',
    'run-1',
    makeNamedDecision('on-trail', true, { description: 'Both agreed', ...COLLECTED }),
  )
  await app.admin.put('/controls/acme/C1', { name: 'another' })
  await decide(
    'build',
    'run-1',
    makeNamedDecision('on-artifact', false, { artifact_fingerprint: makeFingerprint('a') }),
  )
  await decide('deploy', 'run-1', makeNamedDecision('deployed', true))
  await decide('is', 'run-1', makeNamedDecision('renamed', false))
  await app.member.post('/attestations/acme/build/trail/run-1/system', buildDecision('C2', true))
  await app.member.post('/attestations/acme/build/trail/run-1/generic', {
    attestation_name: 'other',
    is_compliant: true,
  })
})
afterAll(() => app.stop())

const list = async (query = '', identifier = 'C1'): Promise<Listed> =>
  (await app.reader.get(`/controls/acme/${identifier}/decisions${query}`)).body
const getNames = (body: Listed) => body.decisions.map(({ attestation_name }) => attestation_name)
const NEWEST_FIRST = ['renamed', 'deployed', 'on-artifact', 'on-trail', 'early']

describe('200', () => {
  it('lists decisions newest first, with where they were made and on which version of the control', async () => {
    const body = await list()
    expect(getNames(body)).toEqual(NEWEST_FIRST)
    expect([body.next, body.per_page]).toEqual([null, 15])
    expect(body.decisions.map(({ control_version }) => control_version)).toEqual([2, 2, 2, 1, null])
    const [, , onArtifact, onTrail] = body.decisions
    expect(onTrail).toEqual({
      id: expect.stringMatching(WIRE_ID),
      attestation_name: 'on-trail',
      is_compliant: true,
      flow_name: 'build',
      trail_name: 'run-1',
      artifact_name: null,
      artifact_fingerprint: null,
      target_artifacts: [],
      control_version: 1,
      description: 'Both agreed',
      created_by: 'max',
      created_at: begun_s + 120,
      expires_at: null,
      is_expired: false,
      ...COLLECTED,
      html_url: `${BASE_URL}/acme/flows/build/trails/run-1?attestation_id=${onTrail?.id}`,
    })
    expect(onArtifact).toMatchObject({
      is_compliant: false,
      artifact_name: 'image:1',
      artifact_fingerprint: makeFingerprint('a'),
      description: null,
      collected_at: null,
      spooled: false,
    })
  })

  it('lists only decisions on the control', async () => {
    expect(getNames(await list('', 'C2'))).toEqual(['on-C2'])
  })

  it.each<[string, string[]]>([
    ['?is_compliant=true', ['deployed', 'on-trail', 'early']],
    ['?is_compliant=false', ['renamed', 'on-artifact']],
    ['?flow_name=build', ['on-artifact', 'on-trail', 'early']],
    ['?flow_name=deploy&flow_name=is', ['renamed', 'deployed']],
    ['?flow_name=was', ['renamed']],
    ['?flow_name=no-such-flow', []],
    ['?flow_name=no-such-flow&flow_name=deploy', ['deployed']],
    ['?flow_name=build&is_compliant=false', ['on-artifact']],
    ['?sort_direction=asc', NEWEST_FIRST.toReversed()],
    ['?sort_direction=desc&per_page=2', ['renamed', 'deployed']],
    ['?sort_direction=asc&is_compliant=false&per_page=1', ['on-artifact']],
  ])('filters by %s', async (query, expected) => {
    expect(getNames(await list(query))).toEqual(expected)
  })

  it('filters by flow ids', async () => {
    expect(getNames(await list(`?flow_id=${deploy_id}`))).toEqual(['deployed'])
    expect(getNames(await list(`?flow_id=${deploy_id}&flow_name=is`))).toEqual(['renamed', 'deployed'])
    expect(getNames(await list('?flow_id=00000000-0000-7000-8000-00000000'))).toEqual([])
  })

  it('bounds the time on both sides, inclusively', async () => {
    const listBetween = (from: number, to: number, more = '') =>
      list(`?from_timestamp=${begun_s + from}&to_timestamp=${begun_s + to}${more}`)
    expect(getNames(await listBetween(120, 180))).toEqual(['on-artifact', 'on-trail'])
    expect(getNames(await listBetween(120, 180, '&sort_direction=asc'))).toEqual(['on-trail', 'on-artifact'])
    expect(getNames(await listBetween(121, 179))).toEqual([])
    expect(getNames(await list(`?from_timestamp=${begun_s + 300}`))).toEqual(['renamed'])
    expect(getNames(await list('?to_timestamp=1'))).toEqual([])
    expect(getNames(await list(`?from_timestamp=${begun_s + 9_000_000}`))).toEqual([])
  })

  it.each(['asc', 'desc'])('is paged %s without gaps while decisions are added', async direction => {
    const before = getNames(await list(`?sort_direction=${direction}&per_page=100`))
    const seen: string[] = []
    let next: string | null = null
    do {
      const cursor: string = next === null ? '' : `&cursor=${next}`
      const page: Listed = await list(`?sort_direction=${direction}&per_page=2&flow_name=build${cursor}`)
      expect(page.decisions.length).toBeLessThanOrEqual(2)
      seen.push(...getNames(page))
      next = page.next
      if (direction === 'desc') await decide('build', 'run-1', makeNamedDecision('meanwhile', true))
    } while (next !== null)
    expect(seen).toEqual(before.filter(name => ['early', 'on-trail', 'on-artifact'].includes(name)))
  })

  it('is paged by number, with the total and links', async () => {
    const read = async (query: string) => (await app.reader.get(`/controls/acme/C1/decisions?${query}`)).body
    const filter = `to_timestamp=${begun_s + 300}`
    const second = await read(`${filter}&page=2&per_page=2`)
    expect(getNames(second)).toEqual(['on-trail', 'on-artifact'].toReversed())
    expect(second).toMatchObject({ page: 2, per_page: 2, total_pages: 3, total_count: 5 })
    expect(second._links.next.href).toBe(
      `${BASE_URL}/api/v2/controls/acme/C1/decisions?${filter}&page=3&per_page=2`,
    )
    expect(getNames(await read(`${filter}&cursor=${second.next}`))).toEqual(['early'])
    expect(getNames(await read(`${filter}&page=1&per_page=1&sort_direction=asc`))).toEqual(['early'])
    expect(await read(`${filter}&page=4&per_page=2`)).toMatchObject({
      decisions: [],
      next: null,
      total_count: 5,
    })
    expect(await read('flow_name=deploy&page=1')).toMatchObject({ total_pages: 1, total_count: 1 })
    expect(Object.keys(await read(filter)).sort()).toEqual(['decisions', 'next', 'per_page'])
  })

  it('names the artifact that a decision waits for', async () => {
    await decide(
      'build',
      'run-1',
      makeNamedDecision('to-come', true, { target_artifacts: ['api'], git_commit_info: { sha1: SHA } }),
    )
    expect((await list('?per_page=1')).decisions[0]).toMatchObject({
      attestation_name: 'to-come',
      target_artifacts: ['api'],
      artifact_name: null,
    })
  })

  it('returns one decision with what was reported', async () => {
    app.clock.advance(60_000)
    const data = makeNamedDecision('whole', false, {
      attestation_data: { is_compliant: false, violations: ['no second pair of eyes'] },
      description: 'Denied',
      annotations: { ticket: 'T-1' },
      user_data: { by: 'gate' },
      external_urls: { run: { href: 'https://ci.example.com/7' } },
      origin_url: 'https://ci.example.com/8',
      git_commit_info: { sha1: SHA },
    })
    const parts = { data_json: JSON.stringify(data), attachment_file: makeFile('the report') }
    const done = await app.member.form('POST', '/attestations/acme/build/trail/run-1/system', parts)
    expect(done.status).toBe(201)
    const [first] = (await list('?per_page=1')).decisions
    const { status, body } = await app.reader.get(`/controls/acme/C1/decisions/${first?.id}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      ...first,
      attestation_data: { is_compliant: false, violations: ['no second pair of eyes'] },
      annotations: { ticket: 'T-1' },
      user_data: { by: 'gate' },
      external_urls: { run: { href: 'https://ci.example.com/7' } },
      origin_url: 'https://ci.example.com/8',
      git_commit_info: { sha1: SHA },
      evidence_archive_fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('is one wait for the database, and so is a single decision', async () => {
    const [first] = (await list()).decisions
    expect(await recordWaits(app, () => list('?flow_name=build&is_compliant=true'))).toHaveLength(1)
    expect(
      await recordWaits(app, () => app.reader.get(`/controls/acme/C1/decisions/${first?.id}`)),
    ).toHaveLength(1)
  })

  it('stays when the control and the flow are archived', async () => {
    await addControl(app, 'C3')
    await decide('build', 'run-1', buildDecision('C3', true))
    await app.admin.post('/controls/acme/C3/archive', null)
    await decide('build', 'run-1', buildDecision('C3', false))
    const { decisions } = await list('', 'C3')
    expect(decisions.map(({ control_version }) => control_version)).toEqual([2, 1])
    await app.member.put('/flows/acme', { name: 'short', description: '' })
    await app.member.put('/trails/acme/short', { name: 'run-1' })
    await decide('short', 'run-1', buildDecision('C3', true))
    await app.member.put('/flows/acme/short/archive', null)
    expect(getNames(await list('?flow_name=short', 'C3'))).toEqual(['on-C3'])
  })
})

describe('400', () => {
  it.each([
    ['is_compliant=maybe', 'query.is_compliant'],
    ['flow_id=backend', 'query.flow_id[0]'],
    ['cursor=nonsense', 'query.cursor'],
    ['page=0', 'query.page'],
    ['page=2&cursor=00000000-0000-7000-8000-00000000', 'query.page'],
    ['sort_direction=up', 'query.sort_direction'],
    ['per_page=101', 'query.per_page'],
    ['from_timestamp=-1', 'query.from_timestamp'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await app.reader.get(`/controls/acme/C1/decisions?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
  })
})

describe('404', () => {
  const missing = { message: "Control 'C9' does not exist in org 'acme'" }

  it('names a control that does not exist, even if there are decisions on it', async () => {
    await decide('build', 'run-1', buildDecision('C9', true))
    const [row] = await app.sql(`select attestation_id::text as id from attestations where control = 'C9'`)
    const listed = await app.reader.get('/controls/acme/C9/decisions')
    const one = await app.reader.get(`/controls/acme/C9/decisions/${String(row?.id).slice(0, 32)}`)
    for (const { status, body } of [listed, one]) expect([status, body]).toEqual([404, missing])
  })

  it.each(['nonsense', '00000000-0000-7000-8000-00000000'])('names the decision %s', async id => {
    const { status, body } = await app.reader.get(`/controls/acme/C1/decisions/${id}`)
    expect([status, body]).toEqual([404, { message: `Decision '${id}' does not exist for control 'C1'` }])
  })

  it('does not find the decision on another control', async () => {
    const [other] = (await list('', 'C2')).decisions
    expect((await app.reader.get(`/controls/acme/C1/decisions/${other?.id}`)).status).toBe(404)
  })
})
