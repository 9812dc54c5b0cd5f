// The filter and the order by what is known now: an environment that `unknown_because` calls unknown is never listed or
// counted among the compliant ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'
import type { Environment } from './wire.ts'

const RED = ['red']
const STALE = ['silent', 'with-silent']
const UNKNOWN = ['bare', 'changed', 'empty', 'free', 'late', 'partial', 'with-late', 'with-partial']
const GREEN = ['green', 'with-green']
const BY_URGENCY = [...RED, ...STALE, ...UNKNOWN, ...GREEN]

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build')
  await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('1a'), nameTrail('1a')))
  await putPolicy(app, 'known', buildPolicyRequiring())
  for (const name of ['green', 'late', 'changed', 'partial', 'silent', 'red', 'free', 'bare'])
    await makeEnvironment(app, name, { expected_report_interval: name === 'silent' ? 60 : null })
  for (const name of ['green', 'late', 'changed', 'partial', 'silent', 'red', 'bare'])
    await attach(app, name, 'known')
  for (const name of ['green', 'late', 'changed', 'partial', 'silent', 'free']) await report(app, name, '1a')
  await report(app, 'red', '9f')
  for (const [name, included_environments] of Object.entries({
    'with-green': ['green'],
    'with-late': ['green', 'late'],
    'with-partial': ['green', 'partial'],
    'with-silent': ['green', 'silent'],
    empty: [],
  }))
    await makeEnvironment(app, name, { type: 'logical', included_environments })
  await app.evaluate()
  await app.sql(`update environments set partial_since = now() where name = 'partial'`)
  await app.sql(`delete from environment_policies where environment_id =
    (select environment_id from environments where name = 'changed')`)
  await app.sql(
    `insert into pending_judgements (org_id, environment_id, cause, actor, marked_at)
     select org_id, environment_id, 'evidence', 'ci', $1 from environments where name = 'late'`,
    [app.clock.now()],
  )
  app.clock.advance(4 * 60_000)
})
afterAll(() => app.stop())

const find = async (query: string) => (await app.reader.get(`/environments/acme?${query}`)).body
const getNames = (environments: { name: string }[]) => environments.map(({ name }) => name)

/** The state that every page shows. */
function nameState({ state, is_stale, unknown_because }: Environment): string {
  if (state === false) return 'non-compliant'
  if (is_stale) return 'stale'
  return unknown_because === null ? 'compliant' : 'unknown'
}

describe('200', () => {
  it('has environments that are compliant by their last verdict, and unknown now', async () => {
    const all: Environment[] = await find('')
    expect(all).toHaveLength(BY_URGENCY.length)
    const doubtful = all.filter(({ state, unknown_because }) => state && unknown_because !== null)
    expect(getNames(doubtful)).toEqual(['changed', 'late', 'partial', 'with-late', 'with-partial'])
  })

  it.each([
    ['non-compliant', RED],
    ['stale', STALE],
    ['unknown', UNKNOWN],
    ['compliant', GREEN],
  ])('lists and counts %s ones as their fields say', async (compliance, expected) => {
    const listed = (await find('')).filter((each: Environment) => nameState(each) === compliance)
    expect(getNames(listed)).toEqual(expected)
    expect(getNames(await find(`compliance=${compliance}`))).toEqual(expected)
    const { environments, total_count } = await find(`compliance=${compliance}&page=1&per_page=1`)
    expect([getNames(environments), total_count]).toEqual([expected.slice(0, 1), expected.length])
  })

  it('sorts by it', async () => {
    expect(getNames(await find('sort=compliance'))).toEqual(BY_URGENCY)
    expect(getNames(await find('sort=compliance&sort_direction=desc'))).toEqual(BY_URGENCY.toReversed())
  })

  it('combines with other filters', async () => {
    expect(getNames(await find('compliance=unknown&type=logical'))).toEqual([
      'empty',
      'with-late',
      'with-partial',
    ])
    expect(getNames(await find('compliance=unknown&state=compliant&name=late'))).toEqual([
      'late',
      'with-late',
    ])
  })

  it('keeps `state` and `urgency` of existing clients: the last verdict', async () => {
    const compliant = ['changed', 'green', 'late', 'partial', 'with-green', 'with-late', 'with-partial']
    expect(getNames(await find('state=compliant'))).toEqual(compliant)
    expect(getNames(await find('sort=urgency')).slice(-compliant.length)).toEqual(compliant)
  })

  it('makes as many database round trips as without', async () => {
    await find('')
    const plain = await recordWaits(app, () => find('per_page=1'))
    const filtered = await recordWaits(app, () => find('compliance=unknown&sort=compliance&per_page=1'))
    expect(filtered).toEqual(plain)
  })
})

describe('400', () => {
  it('is for another word', async () => {
    const { status, body } = await app.reader.get('/environments/acme?compliance=red')
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['query.compliance'])
  })
})
