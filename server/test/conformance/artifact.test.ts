// Section 2.3: the fields of an artifact report, each stored as sent and rejected with another type.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../harness.ts'
import { makeFingerprint, makeFlow, OTHER_SHA, SHA } from '../reports.ts'
import { changeField, expectKind, type Kind, listWrongValues, readValue } from './fields.ts'

const COMMIT = {
  sha1: SHA,
  message: 'Fix it',
  author: 'Ann <ann@example.com>',
  author_username: 'ann',
  branch: 'main',
  timestamp: 1_772_539_200.5,
  url: 'https://git.example/commit/1',
  parents: [OTHER_SHA],
  verified: true,
  signature_state: 'VALID',
  signer_username: 'ann',
  signed_by_platform: false,
}
/** Differs from the commit of the build in every field, so that the two cannot be confused. */
const LISTED = {
  sha1: OTHER_SHA,
  message: 'Begin it',
  author: 'Bob <bob@example.com>',
  author_username: 'bob',
  branch: 'feature',
  timestamp: 1_772_530_000,
  url: 'https://git.example/commit/2',
  parents: [SHA, OTHER_SHA],
  verified: false,
  signature_state: 'INVALID',
  signer_username: 'bob',
  signed_by_platform: true,
}
const BODY = {
  fingerprint: makeFingerprint('a1'),
  filename: 'image:1',
  git_commit: SHA,
  build_url: 'https://ci.example/1',
  commit_url: 'https://git.example/commit/1',
  trail_name: 'trail',
  template_reference_name: 'image',
  description: 'everything',
  git_commit_info: COMMIT,
  repo_info: {
    name: 'acme/backend',
    url: 'https://git.example/acme/backend',
    id: '42',
    description: 'The backend',
    namespace_path: ['acme'],
    additional_info: { team: 'one' },
  },
  commits_list: [LISTED],
  repo_url: 'https://git.example/acme/backend',
  is_compliant: true,
  template: 'version: 1',
  external_urls: { log: { href: 'https://ci.example/log' } },
  annotations: { build_number: '42' },
  user_data: { any: ['thing'] },
}

const COMMIT_FIELDS: [string, Kind][] = [
  ['sha1', 'a string'],
  ['message', 'a string'],
  ['author', 'a string'],
  ['author_username', 'a string'],
  ['branch', 'a string'],
  ['timestamp', 'a number'],
  ['url', 'a string'],
  ['parents', 'an array of strings'],
  ['verified', 'a boolean'],
  ['signature_state', 'a string'],
  ['signer_username', 'a string'],
  ['signed_by_platform', 'a boolean'],
]
const prefixFields = (parent: string, fields: [string, Kind][]) =>
  fields.map(([field, kind]): [string, Kind] => [`${parent}.${field}`, kind])

let app: TestApp
/** The stored report, as the API returns it. */
let stored: Record<string, unknown>
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  expect((await report(BODY)).status).toBe(201)
  const { status, body } = await app.reader.get(`/artifacts/acme/ci/fingerprint/${BODY.fingerprint}`)
  expect(status).toBe(200)
  stored = body
})
afterAll(() => app.stop())

const report = (body: unknown) => app.member.post('/artifacts/acme/ci', body)

describe('a report', () => {
  it.each<[string, Kind]>([
    ['fingerprint', 'a string'],
    ['filename', 'a string'],
    ['git_commit', 'a string'],
    ['build_url', 'a string'],
    ['commit_url', 'a string'],
    ['trail_name', 'a string'],
    ['template_reference_name', 'a string'],
    ['description', 'a string'],
    ['git_commit_info', 'an object'],
    ['repo_info', 'an object'],
    ['commits_list', 'an array of objects'],
    ['repo_url', 'a string'],
    ['is_compliant', 'a boolean'],
    ['template', 'a string'],
    ['external_urls', 'an object'],
    ['annotations', 'an object'],
    ['user_data', 'an object'],
    ...prefixFields('git_commit_info', COMMIT_FIELDS),
    ...prefixFields('commits_list[0]', COMMIT_FIELDS),
    ...prefixFields('repo_info', [
      ['name', 'a string'],
      ['url', 'a string'],
      ['id', 'a string'],
      ['description', 'a string'],
      ['namespace_path', 'an array of strings'],
      ['additional_info', 'an object'],
    ]),
  ])('accepts %s as %s and nothing else', async (field, kind) => {
    expectKind(BODY, field, kind)
    expect(readValue(stored, field)).toEqual(readValue(BODY, field))
    // Clients send lists as user data, too.
    const others = listWrongValues(kind).filter(other => field !== 'user_data' || !Array.isArray(other))
    for (const other of others) {
      const { status, body } = await report(changeField(BODY, field, other))
      const fields = Object.keys(body.errors ?? {}).map(path => path.replace(/\[0\]$/, ''))
      expect([other, status, fields]).toEqual([other, 400, [field]])
    }
  })
})

describe('the formats', () => {
  it.each<[string, string, unknown]>([
    ['fingerprint', '64 lowercase hexadecimal characters', 'A'.repeat(64)],
    ['fingerprint', 'no fewer than 64 characters', 'a'.repeat(63)],
    ['filename', 'at least one character', ''],
    ['git_commit', '40 lowercase hexadecimal characters', 'A'.repeat(40)],
    ['git_commit', 'no fewer than 40 characters', 'a'.repeat(39)],
    ['trail_name', 'a letter or digit at the start', '-a'],
    ['trail_name', 'letters, digits and . - _ ~ alone', 'a b'],
    ['trail_name', 'no more than 255 characters', 'a'.repeat(256)],
    ['template_reference_name', 'letters, digits, - and _ alone', 'a.b'],
    ['template_reference_name', 'at least one character', ''],
  ])('%s must have %s', async (field, _rule, wrong) => {
    const { status, body } = await report({ ...BODY, [field]: wrong })
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  it('a trail name of 255 characters with . - _ ~ is accepted', async () => {
    const trail_name = 'a.-_~'.padEnd(255, 'z')
    expect((await report({ ...BODY, trail_name })).status).toBe(201)
  })

  it.each(['fingerprint', 'filename', 'build_url', 'commit_url'])('%s is required', async field => {
    const { status, body } = await report({ ...BODY, [field]: undefined })
    expect([status, body.errors]).toEqual([400, { [field]: 'Field required [input: None]' }])
  })

  it.each(['with a trail', 'without a trail'])('both variants are accepted: %s', async variant => {
    const { trail_name, template_reference_name, ...older } = BODY
    const { status, body } = await report(variant === 'with a trail' ? BODY : older)
    expect([status, body]).toEqual([201, 'OK'])
  })
})
