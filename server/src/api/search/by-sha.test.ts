import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_URL, startTestApp, type TestApp } from '../../../test/harness.ts'
import { recordWaits } from '../../../test/statement-log.ts'

const padHex = (start: string, length: number) => start.padEnd(length, '0')
const FIRST_COMMIT = padHex('c0ffee1', 40)
const FINGERPRINT = padHex('aaaaa1', 64)

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ['build', 'scan', 'gone']) await app.member.put('/flows/acme', { name, description: '' })
  const committed = { git_commit_info: { sha1: FIRST_COMMIT, timestamp: 1_700_000_000.5 } }
  await report('build', { fingerprint: FINGERPRINT, git_commit: FIRST_COMMIT, ...committed })
  await report('scan', { fingerprint: FINGERPRINT, git_commit: FIRST_COMMIT })
  await report('build', { fingerprint: padHex('aaaaa2', 64), git_commit: padHex('c0ffee2', 40) })
  await report('build', { fingerprint: padHex('bbbbb', 64) })
  const listed = [{ sha1: padHex('eeeee', 40), timestamp: 5 }]
  await report('build', {
    fingerprint: padHex('ddddd', 64),
    git_commit: padHex('eeeee', 40),
    commits_list: listed,
  })
  await report('gone', { fingerprint: padHex('99999', 64), git_commit: padHex('99999', 40) })
  await app.member.put('/flows/acme/gone/archive', null)
  const sha1 = padHex('77777', 40)
  await app.member.put('/trails/acme/build', { name: 'with-commit', git_commit_info: { sha1 } })
  await app.outsider.put('/flows/other-corp', { name: 'theirs', description: '' })
  const foreign = { name: 'r', git_commit_info: { sha1: padHex('66666', 40) } }
  await app.outsider.put('/trails/other-corp/theirs', foreign)
})
afterAll(() => app.stop())

async function report(flow: string, keys: object): Promise<void> {
  const places = { build_url: 'https://ci.example/build', commit_url: 'https://git.example/commit' }
  const { status } = await app.member.post(`/artifacts/acme/${flow}`, {
    filename: 'image',
    ...places,
    ...keys,
  })
  expect(status).toBe(201)
}

const search = (value: string) => app.reader.get(`/search/acme/sha/${value}`)
const matches = (type: string, ...found: string[]) => ({ type, count: found.length, matches: found })

describe('200', () => {
  it('finds artifacts in archived flows, and marks them', async () => {
    const { body } = await search('99999')
    expect(body.artifacts).toMatchObject([{ flow: 'gone', archived: true }])
  })

  it('resolves a commit to the artifacts that were built from it, newest first', async () => {
    const { status, body } = await search(FIRST_COMMIT.slice(0, 7))
    expect(status).toBe(200)
    expect(body.resolved_to).toEqual({
      type: 'commit',
      full_match: FIRST_COMMIT,
      fingerprints: matches('fingerprint'),
      commits: matches('commit', FIRST_COMMIT),
    })
    expect(body.artifacts.map(({ flow }: { flow: string }) => flow)).toEqual(['scan', 'build'])
    expect(body.artifacts[1]).toEqual({
      fingerprint: FINGERPRINT,
      name: 'image',
      flow: 'build',
      git_commit: FIRST_COMMIT,
      has_provenance: true,
      commit_url: 'https://git.example/commit',
      build_url: 'https://ci.example/build',
      html_url: `${BASE_URL}/acme/flows/build/artifacts/${FINGERPRINT}`,
      compliance_state: 'COMPLIANT',
      archived: false,
      running_in: [],
      exited_from: [],
      history: [
        { event: `Commit ${FIRST_COMMIT.slice(0, 7)}`, timestamp: 1_700_000_000.5 },
        { event: 'Artifact created', timestamp: app.clock.now().getTime() / 1000 },
      ],
    })
    expect(body.artifacts[0].history).toHaveLength(1)
    expect(body.artifacts_count).toBe(2)
  })

  it('resolves a fingerprint, case-insensitively, by prefix or in full', async () => {
    for (const value of ['aaaaa1', 'AAAAA1', FINGERPRINT]) {
      const { body } = await search(value)
      expect(body.resolved_to).toMatchObject({ type: 'fingerprint', full_match: FINGERPRINT })
      expect(body.artifacts).toHaveLength(2)
    }
  })

  it('is ambiguous if several have the prefix', async () => {
    const { body } = await search('aaaaa')
    expect(body.resolved_to).toEqual({
      type: 'ambiguous',
      full_match: 'aaaaa',
      fingerprints: matches('fingerprint', FINGERPRINT, padHex('aaaaa2', 64)),
      commits: matches('commit'),
    })
    expect(body.artifacts).toHaveLength(3)
  })

  it('returns an artifact without a commit, and one whose commit is in the list of changes', async () => {
    expect((await search('bbbbb')).body.artifacts).toMatchObject([
      { git_commit: '', history: [{ event: 'Artifact created' }] },
    ])
    expect((await search('eeeee')).body.artifacts[0].history[0]).toEqual({
      event: 'Commit eeeee00',
      timestamp: 5,
    })
  })

  it('finds a commit that only a trail has', async () => {
    const { status, body } = await search('77777')
    expect(status).toBe(200)
    expect(body.resolved_to).toMatchObject({ type: 'commit', full_match: padHex('77777', 40) })
    expect(body.artifacts).toEqual([])
  })

  it('takes the same number of round trips whatever is found', async () => {
    const recordSearchWaits = (value: string) => recordWaits(app, () => search(value))
    await search('aaaaa')
    expect(await recordSearchWaits('aaaaa')).toHaveLength(2)
    expect(await recordSearchWaits('77777')).toHaveLength(2)
  })
})

describe('400', () => {
  it.each(['aaaa', 'xyzzy', 'aaaaa%20', 'a'.repeat(65)])('refuses %s', async value => {
    const { status, body } = await search(value)
    expect(status).toBe(400)
    expect(body.errors.value).toMatch(/^String should match pattern '\^\[a-fA-F0-9\]\{5,64\}\$' \[input: /)
  })
})

describe('404', () => {
  it.each(['12345', 'ABCDE', '66666'])('finds no %s', async value => {
    const { status, body } = await search(value)
    expect(status).toBe(404)
    expect(body).toEqual({ message: `No matches for '${value}'.` })
  })
})
