// What versions are called and which one is the newest. cli/src/commands/diff.test.ts has the cases for pairs of
// versions.
import { describe, expect, it } from 'vitest'
import { buildCodeDiffUrl, describeVersion, findNewestVersion, pairVersions } from './versions.ts'

const FINGERPRINT = `0123456789abcdef${'0'.repeat(48)}`

describe('a version is called by', () => {
  it.each([
    ['its tag', 'registry.example.com/app:1.4.2', FINGERPRINT, '1.4.2'],
    ['its tag, beside a digest', `app:2@sha256:${FINGERPRINT}`, FINGERPRINT, '2'],
    ['the beginning of its fingerprint', 'registry.example.com:5000/app', FINGERPRINT, '0123456789ab'],
    ['its fingerprint if it has only a digest', `app@sha256:${FINGERPRINT}`, FINGERPRINT, '0123456789ab'],
    ['its name if nothing else is known', 'tool.jar', '', 'tool.jar'],
    ['the end of a name like a tag', 'a:b:c', FINGERPRINT, 'c'],
  ])('%s', (_, name, fingerprint, version) => {
    expect(describeVersion({ name, fingerprint })).toBe(version)
  })
})

describe('the newest version', () => {
  const at = (day: number) => new Date(Date.UTC(2026, 2, day))
  const start = (artifact_key: string, day: number | null) => ({
    artifact_key,
    first_started_at: day === null ? null : at(day),
  })
  it.each([
    ['is the one that first started last', [start('a', 1), start('b', 3), start('c', 2)], 'b'],
    ['is one whose start is known', [start('a', null), start('b', 1)], 'b'],
    ['is always the same of several', [start('b', 1), start('a', 1)], 'a'],
    ['is the only one, even if nothing is known', [start('a', null)], 'a'],
    ['of none is none', [], undefined],
  ])('%s', (_, versions, newest) => {
    expect(findNewestVersion(versions)).toBe(newest)
    expect(findNewestVersion(versions.toReversed())).toBe(newest)
  })
})

describe('pairs', () => {
  const make = (name: string, flow = '') => ({ name, flow, fingerprint: name, commit_url: '' })
  it.each([
    ['by name, whatever the flow', [make('a:1', 'x')], [make('a:2', 'y')], [['a:1', 'a:2']]],
    ['by flow if the names differ', [make('a', 'x')], [make('b', 'x')], [['a', 'b']]],
    [
      'by name first',
      [make('a:1', 'x'), make('b', 'x')],
      [make('a:2', 'x'), make('c', 'x')],
      [
        ['a:1', 'a:2'],
        ['b', 'c'],
      ],
    ],
    ['not if one side has several', [make('a:1')], [make('a:2'), make('a:3')], []],
    ['not without a flow', [make('a')], [make('b')], []],
  ])('%s', (_, before, after, pairs) => {
    expect(pairVersions(before, after).map(pair => pair.map(({ name }) => name))).toEqual(pairs)
  })
})

describe('the changes of the code', () => {
  const [OLD, NEW] = ['a'.repeat(40), 'b'.repeat(40)]
  const link = (commit: string, repo = 'acme/app') => ({
    commit_url: `https://git.example/${repo}/commit/${commit}`,
  })
  it.each([
    ['of two commits', link(OLD), link(NEW), `https://git.example/acme/app/compare/${OLD}...${NEW}`],
    ['of one commit are none', link(OLD), link(OLD), null],
    ['of two repositories are not known', link(OLD), link(NEW, 'acme/other'), null],
    ['of an unknown commit are not known', { commit_url: '' }, link(NEW), null],
  ])('%s', (_, from, to, url) => {
    expect(buildCodeDiffUrl(from, to)).toBe(url)
  })
})
