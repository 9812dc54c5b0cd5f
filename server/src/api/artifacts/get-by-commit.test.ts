import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, OTHER_SHA, SHA } from '../../../test/reports.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('a'), nameTrail('run-1')))
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('b'), nameTrail('run-2')))
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('c')))
  await app.member.post(
    '/artifacts/acme/ci',
    makeBuild(makeFingerprint('d'), { ...nameTrail('run-2'), git_commit: OTHER_SHA }),
  )
})
afterAll(() => app.stop())

const get = (sha: string, query = '', flow = 'ci') =>
  app.reader.get(`/artifacts/acme/${flow}/commit_sha/${sha}${query}`)
const listFound = async (sha: string, query = '') =>
  (await get(sha, query)).body.map(({ fingerprint }: { fingerprint: string }) => fingerprint[0]).join('')

describe('200', () => {
  it('returns every artifact of the commit, newest first', async () => {
    const { status, body } = await get(SHA)
    expect(status).toBe(200)
    expect(body).toMatchObject([
      { fingerprint: makeFingerprint('c'), trail_name: null, git_commit: SHA },
      { fingerprint: makeFingerprint('b'), trail_name: 'run-2', git_commit: SHA },
      { fingerprint: makeFingerprint('a'), trail_name: 'run-1', git_commit: SHA },
    ])
    const { body: alone } = await app.reader.get(`/artifacts/acme/ci/fingerprint/${makeFingerprint('b')}`)
    expect(body[1]).toEqual(alone)
  })

  it.each([5, 7, 39, 40])('finds them by %i characters', async length => {
    expect(await listFound(SHA.slice(0, length))).toBe('cba')
    expect(await listFound(OTHER_SHA.slice(0, length))).toBe('d')
  })

  it('returns only artifacts of the requested trail', async () => {
    expect(await listFound(SHA, '?trail=run-1')).toBe('a')
    expect(await listFound(SHA, '?trail=')).toBe('cba')
  })
})

describe('400', () => {
  it.each(['4f2c', 'HEAD~', `${SHA}0`])('refuses %s', async sha => {
    const { status, body } = await get(sha)
    expect(status).toBe(400)
    expect(body.errors).toEqual({
      sha: `String should match pattern '^[a-f0-9]{5,40}$' [input: ${sha}]`,
    })
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    expect((await app.outsider.get(`/artifacts/acme/ci/commit_sha/${SHA}`)).status).toBe(403)
  })
})

describe('404', () => {
  it.each([
    ['f'.repeat(40), ''],
    [SHA, '?trail=elsewhere'],
  ])('names the commit %s%s', async (sha, query) => {
    const { status, body } = await get(sha, query)
    expect(status).toBe(404)
    expect(body).toEqual({
      message: `Artifact with commit '${sha}' does not exist in flow 'ci' belonging to organization 'acme'`,
    })
  })

  it('names the flow when the flow does not exist', async () => {
    const { status, body } = await get(SHA, '', 'nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'nothing' does not exist for organization 'acme'" })
  })
})
