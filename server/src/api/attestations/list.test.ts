import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import {
  makeBuild,
  makeFingerprint,
  makeFlow,
  makeSuites,
  nameTrail,
  OTHER_SHA,
  SHA,
} from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

let app: TestApp
let started_at: number
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['ci', 'cd', 'gone']) {
    await makeFlow(app, flow)
    await app.member.put(`/trails/acme/${flow}`, { name: 'run' })
  }
  started_at = app.clock.now().getTime() / 1000
  for (const [flow, name, kind, payload] of REPORTED) {
    const body = { attestation_name: name, ...payload }
    await app.member.post(`/attestations/acme/${flow}/trail/run/${kind}`, body)
    app.clock.advance(10_000)
  }
  await app.admin.put('/flows/acme/gone/archive')
})
afterAll(() => app.stop())

const decision = { type_name: 'decision', control: 'C-1', attestation_data: { is_compliant: false } }
/** One every ten seconds. */
const REPORTED: [string, string, string, object][] = [
  ['ci', 'unit-tests', 'junit', { junit_results: makeSuites(0) }],
  ['ci', 'unit-tests', 'junit', { junit_results: makeSuites(1) }],
  ['cd', 'e2e-tests', 'junit', { junit_results: makeSuites(0) }],
  ['cd', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab', 'generic', { is_compliant: true }],
  ['ci', 'gate', 'system', decision],
  ['gone', 'unit-tests', 'generic', { is_compliant: true }],
]

interface Attestation {
  attestation_id: string
  attestation_name: string
  created_at: number
}

const list = (query = '') => app.reader.get(`/attestations/acme${query}`)
/** The listed attestations, by the time at which they were reported. */
const listTimes = async (query: string) =>
  (await list(query)).body.data.map((one: Attestation) => (one.created_at - started_at) / 10)

describe('200', () => {
  it('returns a page, newest first, without archived flows', async () => {
    const { status, body } = await list()
    expect(status).toBe(200)
    expect(body.pagination).toEqual({ per_page: 20, after: null })
    expect(await listTimes('')).toEqual([4, 3, 2, 1, 0])
    const { body: on_trail } = await app.reader.get('/attestations/acme/ci/trail/run/gate')
    expect(body.data[0]).toEqual(on_trail[0])
  })

  it.each([
    ['?name=unit-tests', [1, 0]],
    ['?name=unit', []],
    ['?name_regex=tests', [2, 1, 0]],
    ['?name_regex=%5Eunit', [1, 0]],
    ['?name_regex=%5E(e2e%7Cgate)', [4, 2]],
    ['?name_regex=%5Enothing%24', []],
    ['?flow=cd', [3, 2]],
    ['?flow=cd&flow=ci', [4, 3, 2, 1, 0]],
    ['?flow=nothing', []],
    ['?type=junit', [2, 1, 0]],
    ['?type=decision', [4]],
    ['?type=system:decision', [4]],
    ['?type=generic&type=decision', [4, 3]],
    ['?is_compliant=true', [3, 2, 0]],
    ['?is_compliant=false', [4, 1]],
    ['?name=unit-tests&is_compliant=false&flow=ci&type=junit', [1]],
  ])('lists %s', async (query, expected) => {
    expect(await listTimes(query)).toEqual(expected)
  })

  it('lists attestations reported between two times, both included', async () => {
    const toTime = (i: number) => started_at + i * 10
    expect(await listTimes(`?from_timestamp=${toTime(3)}`)).toEqual([4, 3])
    expect(await listTimes(`?to_timestamp=${toTime(1)}`)).toEqual([1, 0])
    expect(await listTimes(`?from_timestamp=${toTime(1)}&to_timestamp=${toTime(3)}`)).toEqual([3, 2, 1])
    expect(await listTimes(`?from_timestamp=${toTime(1) + 0.5}&to_timestamp=${toTime(2) - 0.5}`)).toEqual([])
    expect(await listTimes(`?from_timestamp=-62135596800&to_timestamp=253402300799`)).toHaveLength(5)
  })

  it('answers a hostile pattern', async () => {
    expect(await listTimes(`?name_regex=${encodeURIComponent('^(a+)+$')}`)).toEqual([])
    expect(await listTimes(`?name_regex=${encodeURIComponent('(a+)+$')}`)).toEqual([])
    expect(await listTimes(`?name_regex=${encodeURIComponent('(a+)+b$')}`)).toEqual([3])
  })

  it('lists nothing of another organization', async () => {
    expect((await app.outsider.get('/attestations/other-corp')).body.data).toEqual([])
  })
})

describe('200 by whether it waits for an artifact', () => {
  const makeCommitFields = (sha1: string) => ({
    target_artifacts: ['image'],
    git_commit_info: { sha1, message: 'm', author: 'a', branch: 'main', timestamp: 1_772_530_000 },
  })
  const NAMED: [string, object][] = [
    ['for-the-trail', { is_compliant: true }],
    ['for-one', { is_compliant: true, ...makeCommitFields(SHA) }],
    ['for-another', { is_compliant: false, ...makeCommitFields(OTHER_SHA) }],
  ]
  const names = async (query: string) =>
    (await list(`?flow=waits&${query}`)).body.data.map((one: Attestation) => one.attestation_name)

  it('lists waiting attestations until the artifact is reported from their commit', async () => {
    await makeFlow(app, 'waits')
    await app.member.put('/trails/acme/waits', { name: 'run' })
    for (const [attestation_name, body] of NAMED) {
      await app.member.post('/attestations/acme/waits/trail/run/generic', { attestation_name, ...body })
    }
    expect(await names('is_waiting=true')).toEqual(['for-another', 'for-one'])
    expect(await names('is_waiting=true&is_compliant=true')).toEqual(['for-one'])
    expect(await names('is_waiting=false')).toEqual(['for-the-trail'])
    await app.member.post('/artifacts/acme/waits', makeBuild(makeFingerprint('e'), nameTrail('run')))
    expect(await names('is_waiting=true')).toEqual(['for-another'])
    expect(await names('is_waiting=false')).toEqual(['for-one', 'for-the-trail'])
    expect(await names('')).toHaveLength(NAMED.length)
  })
})

describe('200 by id', () => {
  it('returns that attestation', async () => {
    const [wanted] = (await list('?name=gate')).body.data
    const { body } = await list(`?attestation_id=${wanted.attestation_id}`)
    expect(body.data).toEqual([wanted])
    expect(body.pagination.after).toBeNull()
  })

  it.each(['019cb391-c200-7012-a663-02f7a10f', 'nonsense', '', '%27%3B--', '0'.repeat(36)])(
    'returns nothing for %j',
    async id => {
      const { status, body } = await list(`?attestation_id=${id}`)
      expect(status).toBe(200)
      expect(body.data).toEqual([])
    },
  )

  it('returns nothing for an attestation of another organization', async () => {
    const [theirs] = (await list('?name=gate')).body.data
    const { body } = await app.outsider.get(
      `/attestations/other-corp?attestation_id=${theirs.attestation_id}`,
    )
    expect(body.data).toEqual([])
  })
})

describe('200 page by page', () => {
  const COUNT = 23
  beforeAll(async () => {
    for (let i = 0; i < COUNT; i++) await attest(i % 3 === 0 ? `third-${i}` : `other-${i}`)
  })

  const attest = (attestation_name: string) =>
    app.member.post('/attestations/acme/cd/trail/run/generic', { attestation_name, is_compliant: true })

  async function walk(query: string, between: () => Promise<unknown>): Promise<string[]> {
    const names: string[] = []
    let after: string | null = ''
    while (after !== null) {
      const cursor: string = after && `&after=${after}`
      const { body } = await list(`?${query}${cursor}`)
      names.push(...body.data.map((one: Attestation) => one.attestation_name))
      after = body.pagination.after
      await between()
    }
    return names
  }

  it.each([1, 5, 23, 100])(
    'pages through %i at a time without gaps or repeats while new ones arrive',
    async size => {
      const before = (await list('?flow=cd&per_page=100')).body.data.map(
        (one: Attestation) => one.attestation_name,
      )
      let arrived = 0
      const names = await walk(`flow=cd&per_page=${size}`, async () => {
        if (arrived < 3) await attest(`new-${size}-${arrived++}`)
      })
      expect(names).toEqual(before)
    },
  )

  it('pages through the matches of a pattern', async () => {
    const expected = Array.from({ length: COUNT }, (_, i) => i).filter(i => i % 3 === 0)
    const names = await walk('name_regex=%5Ethird&per_page=3', async () => undefined)
    expect(names).toEqual(expected.reverse().map(i => `third-${i}`))
  })

  it('sends the same number of statements whatever it lists', async () => {
    await list()
    expect(await recordWaits(app, () => list('?per_page=1'))).toEqual(
      await recordWaits(app, () => list('?per_page=100')),
    )
  })
})

describe('400', () => {
  it.each([
    ['name_regex=(%3F%3Da)', 'name_regex', 'Input should be a valid regular expression [input: (?=a)]'],
    ['name_regex=(%3F!a)', 'name_regex', 'Input should be a valid regular expression [input: (?!a)]'],
    ['name_regex=(a)%5C1', 'name_regex', 'Input should be a valid regular expression [input: (a)\\1]'],
    ['name_regex=(', 'name_regex', 'Input should be a valid regular expression [input: (]'],
    ['after=nonsense', 'after', 'Input should be the `pagination.after` of a page'],
    ['per_page=0', 'per_page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['page=2', 'page', 'Extra inputs are not permitted [input: 2]'],
    [
      'is_compliant=maybe',
      'is_compliant',
      'Input should be a valid boolean, unable to interpret input [input: maybe]',
    ],
  ])('refuses %s', async (query, name, sentence) => {
    const { status, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'Input payload validation failed',
      errors: { [`query.${name}`]: sentence },
    })
  })

  it.each(['from_timestamp=yesterday', 'from_timestamp=1e300', 'to_timestamp=-1e300', 'to_timestamp=1e14'])(
    'refuses %s',
    async query => {
      const { status, body } = await list(`?${query}`)
      expect(status).toBe(400)
      expect(Object.keys(body.errors)).toEqual([`query.${query.split('=')[0]}`])
    },
  )
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    const { status, body } = await app.outsider.get('/attestations/acme')
    expect(status).toBe(403)
    expect(body).toEqual({ message: 'Access denied to /api/v2/attestations/acme' })
  })
})
