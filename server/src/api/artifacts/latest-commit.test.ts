import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'

const makeSha = (digit: string) => digit.repeat(40)

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await makeFlow(app, 'empty')
  const report = (digit: string, more: Record<string, unknown>) =>
    app.member.post(
      '/artifacts/acme/ci',
      makeBuild(makeFingerprint(digit), { git_commit: makeSha(digit), ...more }),
    )
  const makeCommitInfo = (digit: string, branch: string) => ({
    git_commit_info: { sha1: makeSha(digit), branch },
  })
  await report('1', { ...nameTrail('run-1'), ...makeCommitInfo('1', 'main') })
  await report('2', { commits_list: [makeCommitInfo('2', 'feature').git_commit_info] })
  await report('3', { ...nameTrail('run-3'), ...makeCommitInfo('3', 'main') })
  await report('4', { ...nameTrail('run-4'), git_commit: undefined })
})
afterAll(() => app.stop())

const get = (fingerprint: string, query = '', flow = 'ci') =>
  app.reader.get(`/artifacts/acme/${flow}/${fingerprint}/latest_commit${query}`)

describe('200', () => {
  it.each([
    ['an artifact that is not reported yet', makeFingerprint('f'), '', makeSha('3')],
    ['an invalid fingerprint', 'not-yet-computed', '', makeSha('3')],
    ['the newest artifact itself: the previous one', makeFingerprint('3'), '', makeSha('2')],
    ['a prefix of the newest artifact: the previous one', makeFingerprint('3').slice(0, 5), '', makeSha('2')],
    ['a prefix that is too short to match', makeFingerprint('3').slice(0, 4), '', makeSha('3')],
    ['a branch', makeFingerprint('3'), '?branch=main', makeSha('1')],
    ['a branch of a report without a trail', makeFingerprint('3'), '?branch=feature', makeSha('2')],
    ['a branch without artifacts', makeFingerprint('f'), '?branch=elsewhere', null],
  ])('returns the latest commit for %s', async (_, fingerprint, query, latest_commit) => {
    const { status, body } = await get(fingerprint, query)
    expect(status).toBe(200)
    expect(body).toEqual({ latest_commit })
  })

  it('returns null in a flow without artifacts', async () => {
    expect((await get(makeFingerprint('1'), '', 'empty')).body).toEqual({ latest_commit: null })
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    expect((await app.outsider.get(`/artifacts/acme/ci/${makeFingerprint('1')}/latest_commit`)).status).toBe(
      403,
    )
  })
})

describe('404', () => {
  it('names the flow', async () => {
    const { status, body } = await get(makeFingerprint('1'), '', 'nothing')
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'nothing' does not exist for organization 'acme'" })
  })
})
