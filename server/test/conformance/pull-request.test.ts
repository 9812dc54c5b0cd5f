// Sections 2.5 and 4.8: the pull-request attestation, its fields and its two parts.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from '../harness.ts'
import { makeFlow, SHA } from '../reports.ts'
import { changeField, expectKind, type Kind, makeWrongValue, readValue } from './fields.ts'

const PATH = '/attestations/acme/ci/trail/run/pull_request'
const buildCommit = () => ({
  author: 'Ann <ann@example.com>',
  author_username: 'ann',
  branch: 'fix',
  message: 'Fix it',
  sha1: SHA,
  timestamp: 1_772_530_000.5,
  url: 'https://git.example/commit/1',
  verified: true,
  signature_state: 'VALID',
})
const DATA = {
  attestation_name: 'review',
  git_commit_info: {
    author: 'Ann <ann@example.com>',
    branch: 'main',
    message: 'Merge',
    sha1: SHA,
    url: 'https://git.example/commit/1',
    timestamp: 1_772_539_200.5,
  },
  git_provider: 'github',
  pull_requests: [
    {
      approvers: [{ state: 'APPROVED', timestamp: 1_772_531_000.5, username: 'tom' }],
      author: 'ann',
      commits: [buildCommit()],
      created_at: 1_772_520_000.5,
      head_ref: 'fix',
      base_ref: 'main',
      merge_commit: SHA,
      merged_at: 1_772_532_000.5,
      reviews: [
        { commit_sha: SHA, state: 'CHANGES_REQUESTED', timestamp: 1_772_530_500.5, username: 'mira' },
        { commit_sha: SHA, state: 'APPROVED', timestamp: 1_772_530_900.5, username: 'mira' },
      ],
      state: 'MERGED',
      title: 'Fix it',
      url: 'https://git.example/pull/1',
    },
  ],
  user_data: { any: ['thing'] },
}

let app: TestApp
let stored: unknown
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await app.member.put('/trails/acme/ci', { name: 'run' })
  expect((await send(DATA)).status).toBe(201)
  stored = await readLatest('review')
})
afterAll(() => app.stop())

const send = (data: unknown, parts: Record<string, string | Blob> = {}) =>
  app.member.form('POST', PATH, { data_json: JSON.stringify(data), ...parts })
const readLatest = async (name: string) =>
  (await app.reader.get(`/attestations/acme/ci/trail/run/${name}`)).body[0]

const PULL = 'pull_requests[0]'

describe('data_json', () => {
  it.each<[string, Kind]>([
    ['attestation_name', 'a string'],
    ['git_commit_info', 'an object'],
    ['git_commit_info.author', 'a string'],
    ['git_commit_info.branch', 'a string'],
    ['git_commit_info.message', 'a string'],
    ['git_commit_info.sha1', 'a string'],
    ['git_commit_info.url', 'a string'],
    ['git_commit_info.timestamp', 'a number'],
    ['git_provider', 'a string'],
    ['pull_requests', 'an array of objects'],
    ['user_data', 'an object'],
    [`${PULL}.approvers`, 'an array of objects'],
    [`${PULL}.author`, 'a string'],
    [`${PULL}.commits`, 'an array of objects'],
    [`${PULL}.commits[0].author`, 'a string'],
    [`${PULL}.commits[0].author_username`, 'a string'],
    [`${PULL}.commits[0].branch`, 'a string'],
    [`${PULL}.commits[0].message`, 'a string'],
    [`${PULL}.commits[0].sha1`, 'a string'],
    [`${PULL}.commits[0].timestamp`, 'a number'],
    [`${PULL}.commits[0].url`, 'a string'],
    [`${PULL}.commits[0].verified`, 'a boolean'],
    [`${PULL}.commits[0].signature_state`, 'a string'],
    [`${PULL}.created_at`, 'a number'],
    [`${PULL}.head_ref`, 'a string'],
    [`${PULL}.base_ref`, 'a string'],
    [`${PULL}.merge_commit`, 'a string'],
    [`${PULL}.merged_at`, 'a number'],
    [`${PULL}.reviews`, 'an array of objects'],
    [`${PULL}.reviews[0].commit_sha`, 'a string'],
    [`${PULL}.reviews[0].state`, 'a string'],
    [`${PULL}.reviews[0].timestamp`, 'a number'],
    [`${PULL}.reviews[0].username`, 'a string'],
    [`${PULL}.state`, 'a string'],
    [`${PULL}.title`, 'a string'],
    [`${PULL}.url`, 'a string'],
  ])('has %s, %s and nothing else', async (field, kind) => {
    expectKind(DATA, field, kind)
    expect(readValue(stored, field)).toEqual(readValue(DATA, field))
    const { status, body } = await send(changeField(DATA, field, makeWrongValue(kind)))
    expect([status, Object.keys(body.errors)]).toEqual([400, [`data_json.${field}`]])
  })

  // An approver may also be just a name, so the error for a wrong field names the approver.
  it.each<[string, unknown]>([
    ['state', 7],
    ['timestamp', 'noon'],
    ['username', 7],
  ])('has %s in an approver', async (field, wrong) => {
    const path = `${PULL}.approvers[0].${field}`
    expect(readValue(stored, path)).toEqual(readValue(DATA, path))
    const { status, body } = await send(changeField(DATA, path, wrong))
    expect(status).toBe(400)
    expect(Object.keys(body.errors)[0]).toContain(`data_json.${PULL}.approvers[0]`)
  })

  it('needs no url of a commit', async () => {
    const data = changeField({ ...DATA, attestation_name: 'no-url' }, `${PULL}.commits[0].url`, undefined)
    expect((await send(data)).status).toBe(201)
    expect((await readLatest('no-url')).pull_requests[0].commits[0]).not.toHaveProperty('url')
  })

  it('needs neither verified nor signature_state of a commit', async () => {
    const { verified, signature_state, ...plain } = buildCommit()
    const data = changeField({ ...DATA, attestation_name: 'plain' }, `${PULL}.commits`, [plain])
    expect((await send(data)).status).toBe(201)
    expect((await readLatest('plain')).pull_requests[0].commits).toEqual([plain])
  })

  it.each(['APPROVED', 'CHANGES_REQUESTED'])('accepts the state %s of approvers and reviews', async state => {
    const name = `state-${state}`
    const approved = changeField({ ...DATA, attestation_name: name }, `${PULL}.approvers[0].state`, state)
    expect((await send(changeField(approved, `${PULL}.reviews[0].state`, state))).status).toBe(201)
    const [pull] = (await readLatest(name)).pull_requests
    expect([pull.approvers[0].state, pull.reviews[0].state]).toEqual([state, state])
  })

  it.each(['MERGED', 'OPEN', 'CLOSED', 'declined'])('accepts the state %s of a pull request', async state => {
    const name = `pull-${state}`
    await send(changeField({ ...DATA, attestation_name: name }, `${PULL}.state`, state))
    expect((await readLatest(name)).pull_requests[0].state).toBe(state)
  })

  it('has the author and the time of a commit, and no committer', async () => {
    const [shown] = (stored as typeof DATA).pull_requests[0]?.commits ?? []
    expect(shown).toMatchObject({ author: 'Ann <ann@example.com>', timestamp: 1_772_530_000.5 })
    const { status, body } = await send(changeField(DATA, `${PULL}.commits[0].committer`, 'Bob'))
    expect([status, Object.keys(body.errors)]).toEqual([400, [`data_json.${PULL}.commits[0].committer`]])
  })
})

describe('the parts', () => {
  it('may have attachment_file, which is stored', async () => {
    const { status, text } = await send(
      { ...DATA, attestation_name: 'attached' },
      { attachment_file: makeFile('the evidence') },
    )
    expect([status, text]).toEqual([201, '"OK"'])
    expect((await readLatest('attached')).evidence_archive_fingerprint).toBe(
      createHash('sha256').update('the evidence').digest('hex'),
    )
  })

  it('need not have attachment_file', async () => {
    expect((await send({ ...DATA, attestation_name: 'alone' })).status).toBe(201)
    expect((await readLatest('alone')).evidence_archive_fingerprint).toBeNull()
  })

  it('must have data_json', async () => {
    const { status, body } = await app.member.form('POST', PATH, { attachment_file: makeFile('x') })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['data_json']])
  })

  it('return 201 with a string', async () => {
    const { status, text } = await send({ ...DATA, attestation_name: 'answered' })
    expect([status, text]).toEqual([201, '"OK"'])
  })

  it('accept a data_json of half a megabyte', async () => {
    const data = { ...DATA, attestation_name: 'large', user_data: { text: 'x'.repeat(500_000) } }
    expect((await send(data)).status).toBe(201)
  })

  it('reject a data_json above the limit of a part', async () => {
    const data = { ...DATA, attestation_name: 'huge', user_data: { text: 'x'.repeat(1_048_576) } }
    const { status, body } = await send(data)
    expect([status, Object.keys(body.errors)]).toEqual([413, ['data_json']])
  })

  it('are for a trail that exists', async () => {
    const path = '/attestations/acme/ci/trail/none/pull_request'
    const { status, body } = await app.member.form('POST', path, { data_json: JSON.stringify(DATA) })
    expect([status, Object.keys(body)]).toEqual([404, ['message']])
  })
})
