// GET /snapshots/{org}/{env_name}: newest first, paged, optionally limited to an interval.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach, lengthenHistory, makeEnvironment, putPolicy, report } from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { countRowsRead } from '../../../test/rows-read.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeEnvironment(app, 'prod')
  for (let i = 1; i <= 6; i++) {
    await report(app, 'prod', `a${i}`)
    app.clock.advance(60_000)
  }
})
afterAll(() => app.stop())

const list = (query: string) => app.reader.get(`/snapshots/acme/prod${query}`)
const listIndexes = async (query: string) =>
  (await list(query)).body.map(({ index }: { index: number }) => index)

const getCause = ({ unknown_because }: { unknown_because: string | null }) => unknown_because

describe('200', () => {
  it.each([
    ['', [6, 5, 4, 3, 2, 1]],
    ['?interval=&reverse=false', [6, 5, 4, 3, 2, 1]],
    ['?reverse=true', [1, 2, 3, 4, 5, 6]],
    ['?per_page=2', [6, 5]],
    ['?per_page=2&page=3', [2, 1]],
    ['?per_page=2&page=4', []],
    ['?interval=2..4', [4, 3, 2]],
    ['?interval=4..2', [4, 3, 2]],
    ['?interval=~1..NOW', [6, 5]],
    ['?interval=5..', [6, 5]],
    ['?interval=3', [3]],
    ['?interval=NOW', [6]],
    ['?interval=~2', [4]],
    ['?interval=7..9', []],
    ['?interval=2..9&per_page=2', [6, 5]],
    ['?interval=2..9&per_page=2&page=3', [2]],
    ['?interval=2..5&per_page=3&page=2', [2]],
    ['?interval=2..5&per_page=3&page=2&reverse=true', [5]],
    ['?interval=2..5&per_page=3&reverse=true', [2, 3, 4]],
    ['?page=1000000&per_page=1000', []],
    ['?page=1000000&per_page=1000&reverse=true', []],
    ['?interval=2147483647..1&per_page=1', [6]],
    ['?interval=2147483647&reverse=true', []],
  ])('%s', async (query, expected) => expect(await listIndexes(query)).toEqual(expected))

  it('returns from when to when each was the latest', async () => {
    const [latest, before] = (await list('')).body
    expect(latest).toMatchObject({ index: 6, to: 0, duration: 60, compliant: false, state: null })
    expect(before).toMatchObject({ index: 5, to: latest.from, duration: 60 })
  })

  it('says why a state is unknown, as a snapshot does; earlier ones are final', async () => {
    await putPolicy(app, 'lenient', '_schema: https://waybill.example/v1\n')
    await makeEnvironment(app, 'late')
    await report(app, 'late', 'b1')
    await attach(app, 'late', 'lenient')
    await app.evaluate()
    await report(app, 'late', 'b2')
    await makeEnvironment(app, 'with-late', { type: 'logical', included_environments: ['late'] })
    await app.evaluate()
    await app.sql(
      `insert into pending_judgements (org_id, environment_id, cause, actor, marked_at)
       select org_id, environment_id, 'evidence', 'ci', $1 from environments where name = 'late'`,
      [app.clock.now()],
    )
    app.clock.advance(61_000)
    for (const [name, expected] of [
      ['late', ['not-evaluated', null, 'no-policies']],
      ['with-late', ['not-evaluated']],
      ['prod', Array(6).fill('no-policies')],
    ] as const) {
      const listed = (await app.reader.get(`/snapshots/acme/${name}`)).body
      expect(listed.map(getCause)).toEqual(expected)
      for (const { index, ...item } of listed)
        expect(getCause(item)).toBe(getCause((await app.reader.get(`/snapshots/acme/${name}/${index}`)).body))
    }
  })

  it('reads only the rows of the page', async () => {
    await makeEnvironment(app, 'old')
    await report(app, 'old', 'a')
    const { org_id, environment_id } = await lengthenHistory(app, 'old', 20_000)
    const { status, body } = await app.reader.get('/snapshots/acme/old?per_page=3&page=2')
    expect(status).toBe(200)
    expect(body.map(({ index }: { index: number }) => index)).toEqual([19_997, 19_996, 19_995])
    const rows = await countRowsRead(app, {
      statement: 'snapshots.list',
      params: { org_id, environment_id, from_index: 19_995, to_index: 19_997 },
      scope: { org: org_id },
      table: 'snapshots',
    })
    // Each snapshot of the page, and its successor.
    expect(rows).toBe(2 * 3)
  })

  it('is empty before the first report', async () => {
    await makeEnvironment(app, 'new')
    expect((await app.reader.get('/snapshots/acme/new')).body).toEqual([])
  })
})

describe('400', () => {
  it.each([
    ['?interval=x', 'Invalid interval value: x'],
    ['?interval=1..2..3', 'Invalid interval value: 1..2..3'],
  ])('is for %s', async (query, message) => {
    expect(await list(query)).toMatchObject({ status: 400, body: { message } })
  })
  it.each(['reverse=', 'page=0', 'per_page=0', 'per_page=1001'])('names the parameter in %s', async query => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([`query.${query.split('=')[0]}`])
  })
})

describe('404', () => {
  it('is for an unknown environment', async () => {
    expect(await app.reader.get('/snapshots/acme/nowhere')).toMatchObject({
      status: 404,
      body: { message: "Environment named 'nowhere' does not exist for organization 'acme'" },
    })
  })
})
