import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildPodReport,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const TYPES = "'K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'cloudx-apps', 'cloud-run' or 'logical'"
const ORDERS = "'name', 'last_modified_at', 'last_changed_at', 'urgency' or 'compliance'"
const STATES = "'compliant', 'non-compliant', 'unknown' or 'stale'"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  const made = { beta: 'K8S', alpha: 'ECS', Gamma: 'K8S', a_b: 'docker', axb: 'logical', gone: 'K8S' }
  for (const [name, type] of Object.entries(made)) {
    app.clock.advance(1000)
    await app.member.put('/environments/acme', { name, type, description: `about ${name}` })
  }
  await app.member.put('/environments/acme/gone/archive', null)
  await app.outsider.put('/environments/other-corp', { name: 'foreign', type: 'K8S' })
  await tag('alpha', { team: 'blue', tier: '1' })
  await tag('beta', { team: 'red', note: '' })
  await tag('Gamma', { link: 'https://x.example/a:b' })
  await setChanged('beta', 3)
  await setChanged('a_b', 1)
})
afterAll(() => app.stop())

async function tag(name: string, set_tags: Record<string, string>): Promise<void> {
  app.clock.advance(1000)
  await app.member.patch(`/tags/acme/environment/${name}`, { set_tags })
}

const setChanged = (name: string, day: number) =>
  app.sql('update environments set last_changed_at = $2 where name = $1', [
    name,
    new Date(Date.UTC(2026, 3, day)),
  ])

const list = (query: string) => app.reader.get(`/environments/acme${query}`)
const getNames = (environments: { name: string }[]) => environments.map(({ name }) => name)
const listNames = async (query: string) => getNames((await list(query)).body)

describe('200', () => {
  it('returns a plain array by name, without archived and foreign environments', async () => {
    const { status, body } = await list('')
    expect(status).toBe(200)
    expect(getNames(body).toSorted()).toEqual(['Gamma', 'a_b', 'alpha', 'axb', 'beta'])
    // The collation of the database decides how capitals and signs sort.
    const letters = getNames(body).filter(name => /^[a-z]+$/.test(name))
    expect(letters).toEqual(['alpha', 'axb', 'beta'])
    expect(await listNames('?sort=name&sort_direction=asc')).toEqual(getNames(body))
    expect(await listNames('?name=')).toEqual(getNames(body))
  })

  it('returns each environment as GET does', async () => {
    for (const name of ['beta', 'axb']) {
      expect((await list(`?name=${name}`)).body).toEqual([
        (await app.reader.get(`/environments/acme/${name}`)).body,
      ])
    }
  })

  it('pages when a page or a page size is requested', async () => {
    const all = await listNames('')
    const address = 'http://waybill.test/api/v2/environments/acme'
    const { environments, ...first } = (await list('?per_page=2&type=K8S&type=ECS&type=docker')).body
    expect(environments).toHaveLength(2)
    const filter = 'per_page=2&type=K8S&type=ECS&type=docker'
    expect(first).toEqual({
      page: 1,
      per_page: 2,
      total_pages: 2,
      total_count: 4,
      _links: {
        self: { href: `${address}?${filter}` },
        first: { href: `${address}?${filter}&page=1` },
        next: { href: `${address}?${filter}&page=2` },
        last: { href: `${address}?${filter}&page=2` },
      },
    })
    const third = (await list('?page=3&per_page=2')).body
    expect(third).toMatchObject({ page: 3, per_page: 2, total_pages: 3, total_count: 5 })
    expect(getNames(third.environments)).toEqual(all.slice(4))
    expect((await list('?page=1')).body).toMatchObject({
      page: 1,
      per_page: 15,
      total_pages: 1,
      total_count: 5,
    })
    expect((await list('?per_page=1000')).body.environments).toHaveLength(5)
  })

  it('returns an empty page past the end, and an empty list without paging', async () => {
    const past = await list('?page=1000000&per_page=50')
    expect(past.status).toBe(200)
    expect(past.body).toMatchObject({ environments: [], page: 1_000_000, total_pages: 1, total_count: 5 })
    const none = (await list('?name=nowhere&page=1')).body
    expect(none).toMatchObject({ environments: [], total_pages: 0, total_count: 0 })
    expect((await list('?name=nowhere')).body).toEqual([])
  })

  it('searches part of the name, case-insensitive and literally', async () => {
    expect(await listNames('?name=AMMA')).toEqual(['Gamma'])
    expect(await listNames('?name=_')).toEqual(['a_b'])
    expect(await listNames('?name=%25')).toEqual([])
  })

  it('filters by types', async () => {
    expect((await listNames('?type=K8S')).toSorted()).toEqual(['Gamma', 'beta'])
    expect((await listNames('?type=docker&type=logical')).toSorted()).toEqual(['a_b', 'axb'])
    expect(await listNames('?type=S3')).toEqual([])
  })

  it.each([
    ['tag=team', ['alpha', 'beta']],
    ['tag=team:blue', ['alpha']],
    ['tag=team:blue&tag=note', ['alpha', 'beta']],
    ['tag=note:', ['beta']],
    ['tag=link:https://x.example/a:b', ['Gamma']],
    ['tag=blue', []],
    ['tag=team:', []],
    ['tag=:', []],
    ['tag=', []],
    ['tag=&tag=tier', ['alpha']],
  ])('filters by %s', async (query, found) => {
    expect((await listNames(`?${query}`)).toSorted()).toEqual(found)
  })

  it('combines filters', async () => {
    expect(await listNames('?tag=team&type=K8S&name=B')).toEqual(['beta'])
    expect(await listNames('?tag=team&type=docker')).toEqual([])
  })

  it('sorts by name and by both times, in both directions; environments that never changed are oldest', async () => {
    const byName = await listNames('')
    expect(await listNames('?sort_direction=desc')).toEqual(byName.toReversed())
    const byModified = ['a_b', 'axb', 'alpha', 'beta', 'Gamma']
    expect(await listNames('?sort=last_modified_at')).toEqual(byModified)
    expect(await listNames('?sort=last_modified_at&sort_direction=desc')).toEqual(byModified.toReversed())
    const unchanged = byName.filter(name => !['a_b', 'beta'].includes(name))
    const byChange = [...unchanged, 'a_b', 'beta']
    expect(await listNames('?sort=last_changed_at')).toEqual(byChange)
    expect(await listNames('?sort=last_changed_at&sort_direction=desc')).toEqual(byChange.toReversed())
    const page = (await list('?sort=last_changed_at&sort_direction=desc&page=2&per_page=1')).body
    expect(getNames(page.environments)).toEqual(['a_b'])
  })

  it('finds no environment in a space', async () => {
    expect((await list('?space_id=one&space_id=two')).body).toEqual([])
    expect((await list('?space_id=one&page=1')).body).toMatchObject({ environments: [], total_count: 0 })
  })

  it('makes the same number of database round trips whatever is listed', async () => {
    const recordWaitsFor = (query: string) => recordWaits(app, () => list(query))
    await list('')
    expect(await recordWaitsFor('?per_page=1')).toHaveLength(2)
    expect(await recordWaitsFor('')).toHaveLength(2)
  })
})

describe('400', () => {
  it.each([
    ['page=0', 'query.page', 'Input should be greater than or equal to 1 [input: 0]'],
    [
      'page=one',
      'query.page',
      'Input should be a valid integer, unable to parse string as an integer [input: one]',
    ],
    ['per_page=1001', 'query.per_page', 'Input should be less than or equal to 1000 [input: 1001]'],
    ['type=k8s', 'query.type[0]', `Input should be ${TYPES} [input: k8s]`],
    ['type=K8S&type=', 'query.type[1]', `Input should be ${TYPES} [input: ]`],
    ['sort=age', 'query.sort', `Input should be ${ORDERS} [input: age]`],
    ['sort=Urgency', 'query.sort', `Input should be ${ORDERS} [input: Urgency]`],
    ['state=red', 'query.state', `Input should be ${STATES} [input: red]`],
    ['state=COMPLIANT', 'query.state', `Input should be ${STATES} [input: COMPLIANT]`],
    ['state=', 'query.state', `Input should be ${STATES} [input: ]`],
    ['sort_direction=up', 'query.sort_direction', "Input should be 'asc' or 'desc' [input: up]"],
    ['search=x', 'query.search', 'Extra inputs are not permitted [input: x]'],
    ['name=a%00b', 'query.name', 'Text contains a NUL character'],
    ['tag=a%00b', 'query.tag', 'Text contains a NUL character'],
  ])('refuses %s', async (query, path, sentence) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({ message: 'Input payload validation failed', errors: { [path]: sentence } })
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    const { status, body } = await app.outsider.get('/environments/acme?page=1')
    expect(status).toBe(403)
    expect(body).toEqual({ message: 'Access denied to /api/v2/environments/acme' })
  })
})

describe('by evaluated state', () => {
  const RED = ['all', 'red1', 'red2']
  const UNKNOWN = ['bare', 'none1', 'none2']
  const GREEN = ['calm', 'green1', 'green2']
  const BY_URGENCY = [...RED, ...UNKNOWN, ...GREEN]

  let evaluatedApp: TestApp
  beforeAll(async () => {
    evaluatedApp = await startTestApp()
    await makeFlow(evaluatedApp, 'build')
    await evaluatedApp.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('1a'), nameTrail('1a')))
    await putPolicy(evaluatedApp, 'known', buildPolicyRequiring())
    // A flow built the artifacts in the green environments, but not those in the red ones.
    for (const [name, running] of [...GREEN.slice(1), 'red2', 'red1', 'gone'].map(pickRunning)) {
      await makeEnvironment(evaluatedApp, name)
      await attach(evaluatedApp, name, 'known')
      await report(evaluatedApp, name, running)
    }
    await makeEnvironment(evaluatedApp, 'none2')
    await makeEnvironment(evaluatedApp, 'none1')
    await report(evaluatedApp, 'none1', '1a')
    for (const [name, included_environments] of Object.entries({
      all: ['red1', 'green1'],
      calm: ['green1'],
      bare: [],
    }))
      await makeEnvironment(evaluatedApp, name, { type: 'logical', included_environments })
    await makeRedElsewhere()
    await evaluatedApp.evaluate()
    await evaluatedApp.member.put('/environments/acme/gone/archive', null)
  })
  afterAll(() => evaluatedApp.stop())

  const pickRunning = (name: string) => [name, name.startsWith('green') ? '1a' : '9f'] as const

  /** In the other organization: if it leaked, it would come first. */
  async function makeRedElsewhere(): Promise<void> {
    await evaluatedApp.outsider.put('/environments/other-corp', { name: 'a-red-one', type: 'K8S' })
    await evaluatedApp.outsider.put('/policies/other-corp/known', { policy_yaml: buildPolicyRequiring() })
    await evaluatedApp.outsider.post('/environments/other-corp/a-red-one/policies', {
      policy_names: ['known'],
    })
    await evaluatedApp.outsider.put('/environments/other-corp/a-red-one/report/K8S', buildPodReport('9f'))
  }

  const find = async (query: string) => (await evaluatedApp.reader.get(`/environments/acme?${query}`)).body

  it('has environments in every state, also in another organization', async () => {
    const states = new Map(
      (await find('')).map(({ name, state }: { name: string; state: boolean | null }) => [name, state]),
    )
    expect(states.size).toBe(BY_URGENCY.length)
    expect(RED.map(name => states.get(name))).toEqual([false, false, false])
    expect(UNKNOWN.map(name => states.get(name))).toEqual([null, null, null])
    expect(GREEN.map(name => states.get(name))).toEqual([true, true, true])
    const { body } = await evaluatedApp.outsider.get(
      '/environments/other-corp?state=non-compliant&sort=urgency',
    )
    expect(getNames(body)).toEqual(['a-red-one'])
  })

  it.each([
    ['state=non-compliant', RED],
    ['state=unknown', UNKNOWN],
    ['state=compliant', GREEN],
    ['state=compliant&name=GREEN', ['green1', 'green2']],
    ['state=non-compliant&name=green', []],
    ['state=non-compliant&type=logical', ['all']],
    ['state=unknown&sort_direction=desc', UNKNOWN.toReversed()],
    ['sort=urgency', BY_URGENCY],
    ['sort=urgency&sort_direction=asc', BY_URGENCY],
    ['sort=urgency&sort_direction=desc', BY_URGENCY.toReversed()],
    ['sort=urgency&type=K8S&name=1', ['red1', 'none1', 'green1']],
    ['sort=urgency&state=unknown', UNKNOWN],
    ['sort=urgency&tag=team', []],
  ])('returns the same for %s with and without paging', async (query, expected) => {
    expect(getNames(await find(query))).toEqual(expected)
    const { environments, total_count } = await find(`${query}&page=1&per_page=50`)
    expect(getNames(environments)).toEqual(expected)
    expect(total_count).toBe(expected.length)
  })

  it('continues across states from page to page and keeps the query in its links', async () => {
    const pages = []
    for (const page of [1, 2, 3, 4]) pages.push(await find(`sort=urgency&page=${page}&per_page=4`))
    expect(pages.map(({ environments }) => getNames(environments))).toEqual([
      BY_URGENCY.slice(0, 4),
      BY_URGENCY.slice(4, 8),
      BY_URGENCY.slice(8),
      [],
    ])
    for (const page of pages) expect(page).toMatchObject({ total_pages: 3, total_count: 9 })
    const { environments, total_pages, _links } = await find('state=unknown&sort=urgency&page=2&per_page=2')
    expect([getNames(environments), total_pages]).toEqual([['none2'], 2])
    expect(_links.first.href).toContain('state=unknown&sort=urgency')
  })

  it('makes as many database round trips as without filter and order', async () => {
    const recordWaitsFor = (query: string) => recordWaits(evaluatedApp, () => find(query))
    await find('')
    const plain = await recordWaitsFor('per_page=1')
    expect(await recordWaitsFor('sort=urgency&per_page=1')).toEqual(plain)
    expect(await recordWaitsFor('sort=urgency&state=non-compliant&per_page=50')).toEqual(plain)
    expect(await recordWaitsFor('sort=urgency')).toEqual(plain)
  })
})
