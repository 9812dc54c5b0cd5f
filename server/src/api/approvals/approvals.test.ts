import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, OTHER_SHA, SHA } from '../../../test/reports.ts'

const SINCE = `@${Date.parse('2026-07-28T00:00:00Z') / 1000}`
const makeApproval = (more: Record<string, unknown> = {}) => ({
  state: 'APPROVED',
  comment: 'fine',
  approved_by: 'External',
  approval_url: 'undefined',
  ...more,
})
const makeRequest = (digit: string, more: Record<string, unknown> = {}) => ({
  artifact_fingerprint: makeFingerprint(digit),
  description: 'release',
  src_commit_list: [],
  approvals: [],
  user_data: {},
  ...more,
})

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['ci', 'empty', 'gone']) await makeFlow(app, flow)
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('a')))
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('b'), { git_commit: OTHER_SHA }))
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('c'), { git_commit: undefined }))
  await app.member.put('/flows/acme/gone/archive')
  for (const body of [
    makeRequest('a', { src_commit_list: [SHA, OTHER_SHA, 'f'.repeat(40)], oldest_commit: OTHER_SHA }),
    makeRequest('a', { approvals: [makeApproval()], environment: 'prod' }),
    makeRequest('b', { approvals: [makeApproval()], environment: 'prod' }),
    makeRequest('a', {
      approvals: [makeApproval(), makeApproval({ state: 'REJECTED' })],
      environment: 'prod',
    }),
    makeRequest('c', { approvals: [makeApproval()], environment: 'bare' }),
  ]) {
    expect((await app.member.post('/approvals/acme/ci', body)).status).toBe(201)
  }
})
afterAll(() => app.stop())

const get = (path: string) => app.reader.get(`/approvals/acme/${path}`)
const getNumbers = (body: { release_number: number }[]) => body.map(({ release_number }) => release_number)

describe('201', () => {
  it('returns the whole record and records the event', async () => {
    const approvals = [
      makeApproval({ approved_by: 'external://Ada', comment: undefined, approval_url: undefined }),
    ]
    const more = { environment: 'stage', approvals, user_data: { ticket: 7 }, oldest_commit: '' }
    const { status, body, headers } = await app.member.post('/approvals/acme/ci', makeRequest('a', more))
    expect(status).toBe(201)
    expect(headers.deprecation).toBe(SINCE)
    expect(body).toEqual({
      release_number: 6,
      base_artifact: makeFingerprint('a'),
      artifact_name: 'image:1',
      environment: 'stage',
      description: 'release',
      state: 'APPROVED',
      approvals: [
        {
          state: 'APPROVED',
          approved_by: 'external://Ada',
          comment: '',
          approval_url: '',
          timestamp: body.created_at,
        },
      ],
      src_commit_list: [],
      oldest_commit: null,
      user_data: { ticket: 7 },
      created_by: 'max',
      created_at: expect.any(Number),
      last_modified_at: body.created_at,
    })
    expect((await app.readEvents('approval_created')).at(-1)?.data).toEqual({
      artifact_fingerprint: makeFingerprint('a'),
      artifact_name: 'image:1',
      approval_number: 6,
      environment_name: 'stage',
      state: 'APPROVED',
    })
    expect((await get('ci/6')).body).toEqual(body)
  })

  it('is listed in the audit events and on the trail of the artifact', async () => {
    await makeFlow(app, 'recorded')
    await app.member.post('/artifacts/acme/recorded', makeBuild(makeFingerprint('7'), nameTrail('release')))
    const { body: approval } = await app.member.post('/approvals/acme/recorded', makeRequest('7'))
    const data = {
      artifact_fingerprint: makeFingerprint('7'),
      approval_number: approval.release_number,
      environment_name: null,
      state: 'PENDING',
    }
    for (const filter of ['kind=approval_created', 'kind=approval_created&flow_name=recorded']) {
      const { events } = (await app.admin.get(`/audit-events/acme?${filter}`)).body
      expect(events[0]).toMatchObject({ kind: 'approval_created', actor: 'max', data })
    }
    const { events } = (await app.reader.get('/trails/acme/recorded/release')).body
    expect(events.at(-1)).toMatchObject({ type: 'approval_created', user: 'max', ...data })
  })

  it('numbers concurrent approvals of a flow without gaps or duplicates', async () => {
    await makeFlow(app, 'busy')
    await app.member.post('/artifacts/acme/busy', makeBuild(makeFingerprint('a')))
    const made = await Promise.all(
      Array.from({ length: 8 }, () => app.member.post('/approvals/acme/busy', makeRequest('a'))),
    )
    expect(getNumbers(made.map(({ body }) => body)).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    // A failed request does not use up a number.
    expect((await app.member.post('/approvals/acme/busy', makeRequest('f'))).status).toBe(404)
    expect((await app.member.post('/approvals/acme/busy', makeRequest('a'))).body.release_number).toBe(9)
  })
})

describe('200', () => {
  it.each([
    [1, 'PENDING', []],
    [2, 'APPROVED', ['APPROVED']],
    [4, 'PENDING', ['APPROVED', 'REJECTED']],
  ])('returns approval %i with the state %s', async (number, state, given) => {
    const { status, body, headers } = await get(`ci/${number}`)
    expect(status).toBe(200)
    expect(headers.deprecation).toBe(SINCE)
    expect(body).toMatchObject({ release_number: number, state })
    expect(body.approvals.map((one: { state: string }) => one.state)).toEqual(given)
    for (const one of body.approvals) expect(one.approved_by).toBe('external://External')
  })

  it('returns the artifacts built from the commits', async () => {
    expect((await get('ci/1')).body).toMatchObject({
      environment: null,
      oldest_commit: OTHER_SHA,
      src_commit_list: [
        { commit_sha: SHA, artifact_fingerprints: [makeFingerprint('a')] },
        { commit_sha: OTHER_SHA, artifact_fingerprints: [makeFingerprint('b')] },
        { commit_sha: 'f'.repeat(40), artifact_fingerprints: [] },
      ],
    })
  })

  it('counts negative numbers from the newest', async () => {
    const { body: all } = await get('ci?per_page=100')
    for (const [place, approval] of all.entries()) {
      expect((await get(`ci/${-1 - place}`)).body).toEqual(approval)
    }
  })

  it('lists pages, newest first', async () => {
    const { body: all } = await get('ci')
    expect(getNumbers(all)).toEqual(getNumbers(all).toSorted((a, b) => b - a))
    expect(getNumbers((await get('ci?per_page=2')).body)).toEqual(getNumbers(all).slice(0, 2))
    expect(getNumbers((await get('ci?per_page=2&page=2')).body)).toEqual(getNumbers(all).slice(2, 4))
    expect((await get('empty')).body).toEqual([])
  })

  it('lists the approvals of an artifact, the newest last', async () => {
    const { body } = await app.reader.get(`/artifacts/acme/ci/${makeFingerprint('a')}/approvals`)
    expect(getNumbers(body).slice(0, 3)).toEqual([1, 2, 4])
    expect((await app.reader.get(`/artifacts/acme/ci/${makeFingerprint('b')}/approvals`)).body).toHaveLength(
      1,
    )
  })

  it('lists the approvals of an artifact by a prefix of its fingerprint, down to 5 characters', async () => {
    const whole = (await app.reader.get(`/artifacts/acme/ci/${makeFingerprint('a')}/approvals`)).body
    for (const length of [5, 12, 63]) {
      const found = await app.reader.get(`/artifacts/acme/ci/${'a'.repeat(length)}/approvals`)
      expect(found.body).toEqual(whole)
    }
    await makeFlow(app, 'alike')
    for (const start of ['c0ffee1', 'c0ffee2']) {
      await app.member.post('/artifacts/acme/alike', makeBuild(makeFingerprint(start)))
      await app.member.post('/approvals/acme/alike', makeRequest(start))
    }
    expect((await app.reader.get('/artifacts/acme/alike/c0ffee2/approvals')).body).toMatchObject([
      { base_artifact: makeFingerprint('c0ffee2') },
    ])
    const { status, body } = await app.reader.get('/artifacts/acme/alike/c0ffee/approvals')
    expect(status).toBe(400)
    expect(body).toEqual({ message: "Fingerprint 'c0ffee' matches 2 artifacts; use a longer prefix" })
    expect((await app.reader.get('/artifacts/acme/alike/c0ff/approvals')).status).toBe(400)
  })

  it.each([
    ['ci/artifact-commit/prod', OTHER_SHA],
    ['ci/artifact-commit/bare', null],
    ['ci/artifact-commit/elsewhere', null],
    ['empty/artifact-commit/prod', null],
  ])('returns for %s the commit that was approved last', async (path, commit_sha) => {
    expect((await get(path)).body).toEqual({ commit_sha })
  })
})

describe('400', () => {
  it.each([
    ['artifact_fingerprint', { artifact_fingerprint: 'abc' }],
    ['description', { description: undefined }],
    ['src_commit_list[0]', { src_commit_list: ['main'] }],
    ['approvals[0].state', { approvals: [makeApproval({ state: 'MAYBE' })] }],
    ['approvals[0].approved_by', { approvals: [makeApproval({ approved_by: '' })] }],
    ['approvals[0].extra', { approvals: [makeApproval({ extra: 1 })] }],
    ['extra', { extra: 1 }],
  ])('refuses %s', async (field, more) => {
    const before = await app.sql('select count(*) from approvals')
    const { status, body } = await app.member.post('/approvals/acme/ci', makeRequest('a', more))
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual([field])
    expect(await app.sql('select count(*) from approvals')).toEqual(before)
  })

  it.each(['ci/first', 'ci/2147483648', 'ci/1.5'])('refuses the number of %s', async path => {
    expect((await get(path)).status).toBe(400)
  })
})

describe('404', () => {
  it.each([
    ['ci', 23],
    ['ci', 0],
    ['ci', -23],
    ['empty', -1],
  ])('names the flow %s and the number %i', async (flow, number) => {
    const { status, body } = await get(`${flow}/${number}`)
    expect(status).toBe(404)
    expect(body).toEqual({
      message: `Approval number '${number}' does not exist in flow '${flow}' belonging to organization 'acme'`,
    })
  })

  it('names the artifact', async () => {
    const message = `Artifact with fingerprint '${makeFingerprint('f')}' does not exist in flow 'ci' belonging to organization 'acme'`
    expect((await app.member.post('/approvals/acme/ci', makeRequest('f'))).body).toEqual({ message })
    expect((await app.reader.get(`/artifacts/acme/ci/${makeFingerprint('f')}/approvals`)).body).toEqual({
      message,
    })
  })

  it.each(['nothing', 'gone'])('names the flow %s', async flow => {
    const message = new RegExp(
      `^Flow named '${flow}' (does not exist|has been archived) for organization 'acme'$`,
    )
    const answers = [
      await app.member.post(`/approvals/acme/${flow}`, makeRequest('a')),
      await get(flow),
      await get(`${flow}/1`),
      await get(`${flow}/artifact-commit/prod`),
      await app.reader.get(`/artifacts/acme/${flow}/${makeFingerprint('a')}/approvals`),
    ]
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([404, { message: expect.stringMatching(message) }])
    }
  })
})
