import { describe, expect, it } from 'vitest'
import { formatDetail } from './canonical.ts'
import { diffReport, type Known, keepUnseen, type Reported } from './changes.ts'
import { normalizeReport } from './report.ts'

const makeDigest = (letter: string) => letter.repeat(64)

// 'a: 1 2' is the artifact aaa… with two instances, created at 1 and 2.
function makeReported(lines: string[]): Reported[] {
  const elements = lines.flatMap(line => {
    const [letter = '', times = ''] = line.split(': ')
    return times.split(' ').map(time => ({
      digests: { [letter]: makeDigest(letter) },
      creationTimestamp: Number(time),
    }))
  })
  return normalizeReport('docker', elements).map(artifact => ({
    ...artifact,
    detail: formatDetail(artifact),
  }))
}

function makeKnown(lines: string[]): Known[] {
  return makeReported(lines)
}

interface Expected {
  started?: string
  exited?: string
  scaled?: string
  refreshed?: string
  makes?: boolean
  makesWithScaling?: boolean
}

const both = { makes: true, makesWithScaling: true }
const table: [string, string[], string[], Expected][] = [
  ['nothing, and nothing before', [], [], {}],
  ['the same', ['a: 1', 'b: 1 2'], ['b: 2 1', 'a: 1'], {}],
  ['the first ones', [], ['b: 1', 'a: 1'], { started: 'a b', ...both }],
  ['nothing any more', ['b: 1', 'a: 1'], [], { exited: 'a b', ...both }],
  ['one for another', ['a: 1'], ['b: 1'], { started: 'b', exited: 'a', ...both }],
  ['more instances', ['a: 1'], ['a: 1 2'], { scaled: 'a', makesWithScaling: true }],
  ['fewer instances', ['a: 1 2'], ['a: 2'], { scaled: 'a', makesWithScaling: true }],
  ['other instances', ['a: 1 2'], ['a: 1 3'], { refreshed: 'a' }],
  [
    'all at once',
    ['a: 1', 'b: 1', 'c: 1', 'd: 1'],
    ['e: 1', 'd: 1', 'c: 2', 'b: 1 1'],
    { started: 'e', exited: 'a', scaled: 'b', refreshed: 'c', ...both },
  ],
]

const formatLetters = (items: { artifact_key: string }[]) => items.map(item => item.artifact_key[0]).join(' ')

describe.each(table)('%s', (_, before, now, expected) => {
  it.each([false, true])('with include_scaling %s', include_scaling => {
    const changes = diffReport(makeKnown(before).reverse(), makeReported(now).reverse(), include_scaling)
    expect({
      started: formatLetters(changes.started),
      exited: formatLetters(changes.exited),
      scaled: formatLetters(changes.scaled.map(change => change.now)),
      refreshed: formatLetters(changes.refreshed.map(change => change.now)),
      makes_snapshot: changes.makes_snapshot,
    }).toEqual({
      started: expected.started ?? '',
      exited: expected.exited ?? '',
      scaled: expected.scaled ?? '',
      refreshed: expected.refreshed ?? '',
      makes_snapshot: (include_scaling ? expected.makesWithScaling : expected.makes) ?? false,
    })
  })
})

describe.each<[string, string[], string[], Expected]>([
  ['nothing', ['a: 1', 'b: 1'], [], {}],
  ['one that is new', ['a: 1'], ['b: 1'], { started: 'b', ...both }],
  ['fewer instances', ['a: 1 2'], ['a: 2'], {}],
  ['more instances', ['a: 1'], ['a: 1 2'], { scaled: 'a', makesWithScaling: true }],
  ['other instances', ['a: 1 2'], ['a: 1 3'], { refreshed: 'a' }],
])('a partial report with %s', (_, before, now, expected) => {
  it.each([false, true])('ends nothing, with include_scaling %s', include_scaling => {
    const whole = diffReport(makeKnown(before), makeReported(now), include_scaling)
    const changes = keepUnseen(whole, include_scaling)
    expect({
      started: formatLetters(changes.started),
      exited: formatLetters(changes.exited),
      scaled: formatLetters(changes.scaled.map(change => change.now)),
      refreshed: formatLetters(changes.refreshed.map(change => change.now)),
      makes_snapshot: changes.makes_snapshot,
    }).toEqual({
      started: expected.started ?? '',
      exited: '',
      scaled: expected.scaled ?? '',
      refreshed: expected.refreshed ?? '',
      makes_snapshot: (include_scaling ? expected.makesWithScaling : expected.makes) ?? false,
    })
  })
})

it('pairs previous with current artifacts, and returns the rows it was given', () => {
  const rows = makeKnown(['a: 1', 'b: 1', 'c: 1']).map((row, id) => ({ ...row, id }))
  const changes = diffReport(rows, makeReported(['a: 1 2', 'b: 7']), false)
  expect(changes.scaled.map(({ before, now }) => [before.id, now.instance_count])).toEqual([[0, 2]])
  expect(changes.refreshed.map(({ before, now }) => [before.id, now.instances.creation_timestamps])).toEqual([
    [1, [7]],
  ])
  expect(changes.exited.map(row => row.id)).toEqual([2])
})

it('treats another name as a refresh', () => {
  const renamed = makeReported(['a: 1'])
    .map(artifact => ({ ...artifact, name: 'other' }))
    .map(artifact => ({ ...artifact, detail: formatDetail(artifact) }))
  expect(
    formatLetters(diffReport(makeKnown(['a: 1']), renamed, true).refreshed.map(change => change.now)),
  ).toBe('a')
})
