import { describe, expect, it } from 'vitest'
import { buildCompareUrl, computeLeadTime, type EarlierRun, findReplaced, getBaseName } from './replaced.ts'

const OLD = '1'.repeat(40)
const NEW = '2'.repeat(40)

const makeRun = (fingerprint: string, artifact_name: string, more: Partial<EarlierRun> = {}): EarlierRun => ({
  fingerprint,
  artifact_name,
  git_commit: OLD,
  commit_url: null,
  repo_key: null,
  trail_name: 't',
  template_reference_name: 'cli',
  compliance_state: 'COMPLIANT',
  snapshot_index: 1,
  is_running: false,
  exits_now: false,
  ...more,
})
const keeps = { is_running: true }
const exits = { exits_now: true }

describe('what an artifact replaced', () => {
  const table: [string, string, EarlierRun[], string | undefined][] = [
    ['nothing ran before', 'app:2', [], undefined],
    ['the build before, leaving', 'app:2', [makeRun('a', 'app:1', exits)], 'a'],
    ['the build before, still running', 'app:2', [makeRun('a', 'app:1', keeps)], 'a'],
    ['the build before, long gone', 'app:2', [makeRun('a', 'app:1')], 'a'],
    ['not itself', 'app:2', [makeRun('new', 'app:2'), makeRun('a', 'app:1', exits)], 'a'],
    ['not itself alone', 'app:2', [makeRun('new', 'app:1', exits)], undefined],
    [
      'the latest',
      'app:3',
      [makeRun('a', 'app:1', { snapshot_index: 9 }), makeRun('b', 'app:2', { snapshot_index: 8 })],
      'a',
    ],
    ['one that keeps running under another name', 'app:2', [makeRun('a', 'web:1', keeps)], undefined],
    ['one that left before under another name', 'app:2', [makeRun('a', 'web:1')], undefined],
    ['one that leaves under another name', 'app:2', [makeRun('a', 'web:1', exits)], 'a'],
    [
      'its own name before what leaves under another',
      'app:2',
      [
        makeRun('a', 'web:1', { ...exits, snapshot_index: 5 }),
        makeRun('b', 'app:1', { ...keeps, snapshot_index: 2 }),
      ],
      'b',
    ],
    [
      'the one that leaves, of two from one snapshot',
      'app:3',
      [makeRun('a', 'app:1', keeps), makeRun('b', 'app:2', exits)],
      'b',
    ],
    ['the first by fingerprint, of two alike', 'app:3', [makeRun('b', 'app:1'), makeRun('a', 'app:2')], 'a'],
    [
      'files of one name',
      '/srv/app.jar',
      [makeRun('a', '/srv/app.jar'), makeRun('b', '/srv/web.jar', exits)],
      'a',
    ],
  ]
  it.each(table)('%s', (_, artifact_name, earlier, expected) => {
    const started = { ...makeRun('new', artifact_name), git_commit: NEW }
    expect(findReplaced(started, earlier)?.fingerprint).toBe(expected)
    expect(findReplaced(started, [...earlier].reverse())?.fingerprint).toBe(expected)
  })
})

describe('the base name', () => {
  it.each([
    ['app', 'app'],
    ['app:1.2', 'app'],
    [`app@sha256:${OLD}`, 'app'],
    [`reg.example/team/app:v1-rc.2@sha256:${OLD}`, 'reg.example/team/app'],
    ['localhost:5000/app', 'localhost:5000/app'],
    ['localhost:5000/app:1', 'localhost:5000/app'],
    ['/srv/app-1.2.jar', '/srv/app-1.2.jar'],
    ['C:\\srv\\app.jar', 'C:\\srv\\app.jar'],
    ['', ''],
  ])('of %s', (name, expected) => expect(getBaseName(name)).toBe(expected))
})

describe('the link that compares', () => {
  const makeCommit = (
    git_commit: string | null,
    commit_url: string | null,
    repo_key: string | null = null,
  ) => ({
    git_commit,
    commit_url,
    repo_key,
  })
  // The text around the commit, and the expected link.
  const forms: [string, string, string | null][] = [
    ['https://git.example/o/r/commit/', '', `https://git.example/o/r/compare/${OLD}...${NEW}`],
    ['http://git.example/o/r/commit/', '', `http://git.example/o/r/compare/${OLD}...${NEW}`],
    ['https://git.example/o/r/commit/', '/', `https://git.example/o/r/compare/${OLD}...${NEW}`],
    ['https://git.example/o/r/commit/', '?w=1#diff', `https://git.example/o/r/compare/${OLD}...${NEW}`],
    ['https://git.example/g/s/r/-/commit/', '', `https://git.example/g/s/r/-/compare/${OLD}...${NEW}`],
    ['https://git.example/o/commit/commit/', '', `https://git.example/o/commit/compare/${OLD}...${NEW}`],
    ['https://git.example/o/r/commits/', '', `https://git.example/o/r/branches/compare/${NEW}%0D${OLD}`],
    ['https://git.example/o/r/pull/5/commits/', '', null],
    ['https://git.example/g/r/-/commits/', '', null],
    ['https://git.example/projects/P/repos/r/commits/', '', null],
    ['https://git.example/o/p/_git/r/commit/', '', null],
    ['https://git.example/o/r/tree/', '', null],
    ['https://git.example/o/r/commit/', '/src', null],
    ['https://git.example/commit/', '', null],
    ['ftp://git.example/o/r/commit/', '', null],
    ['javascript:https://git.example/o/r/commit/', '', null],
    ['git.example/o/r/commit/', '', null],
    ['https://git.example/o r/commit/', '', null],
  ]
  it.each(forms)('for %s…%s', (front, end, expected) => {
    expect(buildCompareUrl(makeCommit(OLD, front + OLD + end), makeCommit(NEW, front + NEW + end))).toBe(
      expected,
    )
  })

  const buildUrl = (sha: string, repo = 'o/r') => `https://git.example/${repo}/commit/${sha}`
  const link = `https://git.example/o/r/compare/${OLD}...${NEW}`
  const table: [string, ReturnType<typeof makeCommit>, ReturnType<typeof makeCommit>, string | null][] = [
    ['one commit', makeCommit(OLD, buildUrl(OLD)), makeCommit(OLD, buildUrl(OLD)), null],
    [
      'one commit, written differently',
      makeCommit('a'.repeat(40), buildUrl(OLD)),
      makeCommit('A'.repeat(40), buildUrl(OLD)),
      null,
    ],
    ['no earlier commit', makeCommit(null, buildUrl(OLD)), makeCommit(NEW, buildUrl(NEW)), null],
    ['no current commit', makeCommit(OLD, buildUrl(OLD)), makeCommit(null, buildUrl(NEW)), null],
    ['no earlier link', makeCommit(OLD, null), makeCommit(NEW, buildUrl(NEW)), null],
    ['no current link', makeCommit(OLD, buildUrl(OLD)), makeCommit(NEW, null), null],
    ['a commit that is none', makeCommit('../x', buildUrl(OLD)), makeCommit(NEW, buildUrl(NEW)), null],
    [
      'repositories that differ by link',
      makeCommit(OLD, buildUrl(OLD, 'o/old'), '1'),
      makeCommit(NEW, buildUrl(NEW), '1'),
      null,
    ],
    [
      'repositories that differ by key',
      makeCommit(OLD, buildUrl(OLD), '1'),
      makeCommit(NEW, buildUrl(NEW), '2'),
      null,
    ],
    ['one repository', makeCommit(OLD, buildUrl(OLD), '1'), makeCommit(NEW, buildUrl(NEW), '1'), link],
    [
      'a key that is not known',
      makeCommit(OLD, buildUrl(OLD), '1'),
      makeCommit(NEW, buildUrl(NEW), null),
      link,
    ],
    [
      'another key that is not known',
      makeCommit(OLD, buildUrl(OLD), null),
      makeCommit(NEW, buildUrl(NEW), '1'),
      link,
    ],
    [
      'short commits in the links',
      makeCommit(OLD, buildUrl(OLD.slice(0, 7))),
      makeCommit(NEW, buildUrl(NEW.slice(0, 8))),
      link,
    ],
    [
      'two forms of link',
      makeCommit(OLD, buildUrl(OLD).replace('/commit/', '/commits/')),
      makeCommit(NEW, buildUrl(NEW)),
      null,
    ],
  ]
  it.each(table)('for %s', (_, previous, current, expected) =>
    expect(buildCompareUrl(previous, current)).toBe(expected),
  )
})

describe('the lead time', () => {
  it.each([
    [[30, 10, 20], 4, 6],
    [[10], 12.5, -2.5],
    [[10], 0, 10],
    [[10], null, null],
    [[], 5, null],
    [[0, 10], 4, 6],
    [[0], 4, null],
  ])('of %j since %s', (times, since, expected) => expect(computeLeadTime(times, since)).toBe(expected))

  it('of very many instances', () => {
    const times = Array.from({ length: 300_000 }, (_, n) => 300_000 - n)
    expect(computeLeadTime(times, 1)).toBe(0)
  })
})
