import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, OTHER_SHA, SHA } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const UNKNOWN_COMMIT = '9'.repeat(40)

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const flow of ['ci', 'cd']) await makeFlow(app, flow)
  await app.member.put('/trails/acme/ci', { name: 'run' })
  await app.member.put('/trails/acme/cd', { name: 'up', git_commit_info: { sha1: OTHER_SHA } })
  await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('a'), nameTrail('run')))
  await attest('ci/trail/run', 'generic', { attestation_name: 'own', is_compliant: true, ...makeCommit(SHA) })
  await attest('ci/trail/run', 'generic', {
    attestation_name: 'of-artifact',
    is_compliant: true,
    artifact_fingerprint: makeFingerprint('a'),
  })
  await attest('cd/trail/up', 'pull_request', {
    attestation_name: 'review',
    git_provider: 'github',
    pull_requests: [],
  })
  await attest('cd/trail/up', 'override', {
    attestation_name: 'review',
    reason: 'known',
    new_compliance_status: true,
    original_attestation_type: 'pull_request',
  })
  await attest('ci/trail/run', 'generic', {
    attestation_name: 'early',
    is_compliant: true,
    target_artifacts: ['image'],
    ...makeCommit(OTHER_SHA),
  })
  await app.outsider.put('/flows/other-corp', { name: 'ci', description: '' })
  await app.outsider.put('/trails/other-corp/ci', { name: 'run', git_commit_info: { sha1: SHA } })
  await app.outsider.post('/attestations/other-corp/ci/trail/run/generic', {
    attestation_name: 'foreign',
    is_compliant: true,
    ...makeCommit(SHA),
  })
})
afterAll(() => app.stop())

const makeCommit = (sha1: string) => ({ git_commit_info: { sha1 } })
const attest = (trail: string, kind: string, body: object) =>
  app.member.post(`/attestations/acme/${trail}/${kind}`, body)
const list = (query: string) => app.reader.get(`/attestations/acme/list_attestations_for_criteria?${query}`)
const listNames = async (query: string) => {
  const { status, body } = await list(query)
  expect(status).toBe(200)
  return Object.fromEntries(
    Object.entries(body as Record<string, { attestation_name: string; attestation_type: string }[]>).map(
      ([sha, found]) => [sha, found.map(one => `${one.attestation_name} ${one.attestation_type}`)],
    ),
  )
}

describe('200', () => {
  it('narrows the commits to one attestation by its id', async () => {
    const [{ attestation_id }] = (await app.reader.get('/attestations/acme/ci/trail/run/own')).body
    const commits = `commit_list=${SHA}&commit_list=${OTHER_SHA}`
    expect(await listNames(`${commits}&attestation_id=${attestation_id}`)).toEqual({
      [SHA]: ['own generic'],
      [OTHER_SHA]: [],
    })
    expect((await listNames(`${commits}&attestation_id=`))[SHA]).toHaveLength(2)
    const { status, body } = await list(`${commits}&attestation_id=own`)
    expect([status, Object.keys(body.errors)]).toEqual([400, ['query.attestation_id']])
  })

  it('returns every requested commit, newest first: by its own commit, by its artifact, by its trail', async () => {
    expect(
      await listNames(`commit_list=${SHA}&commit_list=${OTHER_SHA}&commit_list=${UNKNOWN_COMMIT}`),
    ).toEqual({
      [SHA]: ['of-artifact generic', 'own generic'],
      [OTHER_SHA]: ['early generic', 'review override', 'review pull_request'],
      [UNKNOWN_COMMIT]: [],
    })
  })

  it('returns each attestation like other operations do', async () => {
    const [own] = (await app.reader.get('/attestations/acme/ci/trail/run/own')).body
    expect((await list(`commit_list=${SHA}&attestation_name=own`)).body).toEqual({ [SHA]: [own] })
  })

  it.each([
    ['flow_name=cd', ['review override', 'review pull_request']],
    ['flow_name=ci', ['early generic']],
    ['attestation_type=pull_request', ['review override', 'review pull_request']],
    ['attestation_type=sbom', []],
    ['attestation_name=early', ['early generic']],
    ['attestation_name=image.early', ['early generic']],
    ['attestation_name=other.early', []],
    ['flow_name=cd&attestation_type=generic', []],
  ])('narrows by %s', async (query, found) => {
    expect(await listNames(`commit_list=${OTHER_SHA}&${query}`)).toEqual({ [OTHER_SHA]: found })
  })

  it('finds attestations for an artifact by its name', async () => {
    expect(await listNames(`commit_list=${SHA}&attestation_name=image.of-artifact`)).toEqual({
      [SHA]: ['of-artifact generic'],
    })
  })

  it('returns a commit once that is requested twice', async () => {
    expect(await listNames(`commit_list=${SHA}&commit_list=${SHA}`)).toEqual({
      [SHA]: ['of-artifact generic', 'own generic'],
    })
  })

  it('waits for the database equally often, whatever the number of commits', async () => {
    await list(`commit_list=${SHA}`)
    const one = await recordWaits(app, () => list(`commit_list=${SHA}`))
    const many = Array.from({ length: 100 }, (_, i) => `commit_list=${String(i).padStart(40, '0')}`)
    expect(await recordWaits(app, () => list(many.join('&')))).toHaveLength(one.length)
  })
})

describe('400', () => {
  it.each([
    ['', { 'query.commit_list': 'Field required [input: None]' }],
    [
      'commit_list=short',
      { 'query.commit_list[0]': "String should match pattern '^[a-f0-9]{40}$' [input: short]" },
    ],
    [`commit_list=${SHA}&page=2`, { 'query.page': 'Extra inputs are not permitted [input: 2]' }],
  ])('refuses ?%s', async (query, errors) => {
    const { status, body } = await list(query)
    expect(status).toBe(400)
    expect(body.errors).toEqual(errors)
  })
})

describe('403', () => {
  it('denies an org the caller does not belong to', async () => {
    const path = `/attestations/acme/list_attestations_for_criteria?commit_list=${SHA}`
    expect((await app.outsider.get(path)).status).toBe(403)
  })
})

describe('404', () => {
  it('names the flow', async () => {
    const { status, body } = await list(`commit_list=${SHA}&flow_name=nowhere`)
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Flow named 'nowhere' does not exist for organization 'acme'" })
  })
})
