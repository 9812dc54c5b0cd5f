import { expect, it } from 'vitest'
import { makeGatheringLane } from './gather.ts'

function makeRecorder(fails: (items: number[]) => boolean) {
  const flights: [string, number[]][] = []
  const lane = makeGatheringLane<number, string>(async (org_id, items) => {
    flights.push([org_id, items])
    for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
    if (fails(items)) throw new Error(`refused ${items.join()}`)
    return items.map(item => `${org_id}:${item}`)
  })
  return { lane, flights }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

it('gathers what arrives together, and what arrives meanwhile into the next flight', async () => {
  const { lane, flights } = makeRecorder(() => false)
  const first = numbers(3).map(item => lane.add('a', item))
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
  const later = [3, 4].map(item => lane.add('a', item))
  expect(await Promise.all([...first, ...later])).toEqual(['a:0', 'a:1', 'a:2', 'a:3', 'a:4'])
  expect(flights).toEqual([
    ['a', [0, 1, 2]],
    ['a', [3, 4]],
  ])
})

it('never mixes orgs, and keeps flights to a size', async () => {
  const { lane, flights } = makeRecorder(() => false)
  await Promise.all(numbers(100).flatMap(item => [lane.add('a', item), lane.add('b', item)]))
  expect(flights.map(([org, items]) => [org, items.length]).sort()).toEqual([
    ['a', 36],
    ['a', 64],
    ['b', 36],
    ['b', 64],
  ])
})

it('lets a bad one fail alone', async () => {
  const { lane } = makeRecorder(items => items.includes(2))
  const outcomes = await Promise.allSettled(numbers(5).map(item => lane.add('a', item)))
  expect(outcomes.map(outcome => outcome.status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  expect(await lane.add('a', 9)).toBe('a:9')
})
