// Which versions the diff pairs, case by case.
import { describe, expect, it } from 'vitest'
import { describeDifferences, pairDifferences } from './diff.ts'

const [OLD, NEW] = ['a'.repeat(40), 'b'.repeat(40)]

const make = (name: string, start: string, more: { flow?: string; commit?: string } = {}) => ({
  name,
  fingerprint: start.padEnd(64, '0'),
  flow: more.flow ?? '',
  commit_url: more.commit === undefined ? '' : `https://git.example.com/acme/app/commit/${more.commit}`,
  most_recent_timestamp: 1,
  instance_count: 1,
})
type Made = ReturnType<typeof make>

const diff = (before: Made[], after: Made[], same: Made[] = []) => ({
  snappish1: { snapshot_id: 'prod#1', artifacts: before },
  snappish2: { snapshot_id: 'prod#2', artifacts: after },
  changed: { artifacts: [] },
  'not-changed': { artifacts: same },
})
const summarize = (...sides: [Made[], Made[], Made[]?]) =>
  pairDifferences(diff(...sides)).map(({ change, name, before, after, code }) => [
    change,
    name,
    before,
    after,
    code,
  ])

describe('two snapshots', () => {
  it('have an image with another tag: an update, with the page that compares the code', () => {
    expect(
      summarize([make('r/app:1', '1', { commit: OLD })], [make('r/app:2', '2', { commit: NEW })]),
    ).toEqual([['updated', 'r/app', '1', '2', `https://git.example.com/acme/app/compare/${OLD}...${NEW}`]])
  })

  it('have the same tag with another content: the fingerprints tell them apart', () => {
    expect(summarize([make('r/app:1', '1')], [make('r/app:1', '2')])).toEqual([
      ['updated', 'r/app', '1 100000000000', '1 200000000000', ''],
    ])
  })

  it('have another file of the same flow: an update', () => {
    expect(
      summarize([make('app-1.tgz', '1', { flow: 'ci' })], [make('app-2.tgz', '2', { flow: 'ci' })]),
    ).toEqual([['updated', 'app-2.tgz', '100000000000', '200000000000', '']])
  })

  it.each<[string, Made[], Made[]]>([
    ['of other names and no flow', [make('a', '1')], [make('b', '2')]],
    ['of other flows', [make('a', '1', { flow: 'x' })], [make('b', '2', { flow: 'y' })]],
    ['of which there are several', [make('r/a:1', '1')], [make('r/a:2', '2'), make('r/a:3', '3')]],
  ])('have artifacts %s: removed and added', (_, before, after) => {
    const changes = pairDifferences(diff(before, after)).map(({ change }) => change)
    expect(changes.toSorted()).toEqual([...after.map(() => 'added'), ...before.map(() => 'removed')])
  })

  it('have no differences', () => {
    expect(summarize([], [], [make('r/app:1', '1')])).toEqual([
      ['unchanged', 'r/app', '1 100000000000', '1 100000000000', ''],
    ])
    expect(describeDifferences(diff([], []), [])).toBe('No differences')
  })

  it('are a table with the two snapshots as columns', () => {
    const found = diff([make('r/app:1', '1')], [make('r/app:2', '2'), make('tool', '3', { commit: NEW })])
    expect(describeDifferences(found, pairDifferences(found))).toBe(
      [
        'CHANGE   ARTIFACT  prod#1  prod#2        FLOW  CODE',
        'updated  r/app     1       2             -     -',
        `added    tool      -       300000000000  -     https://git.example.com/acme/app/commit/${NEW}`,
      ].join('\n'),
    )
  })
})
