import { expect, it } from 'vitest'
import { makeBatcher } from './batcher.ts'

function makeRecorder(fails: (items: number[]) => boolean) {
  const batches: [string, number[]][] = []
  const batcher = makeBatcher<number, string>(async (org_id, items) => {
    batches.push([org_id, items])
    for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
    if (fails(items)) throw new Error(`refused ${items.join()}`)
    return items.map(item => `${org_id}:${item}`)
  })
  return { lane: batcher, flights: batches }
}

const listNumbers = (count: number) => Array.from({ length: count }, (_, i) => i)

it('gathers what arrives together, and what arrives meanwhile into the next flight', async () => {
  const { lane: batcher, flights: batches } = makeRecorder(() => false)
  const first = listNumbers(3).map(item => batcher.add('a', item))
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
  const later = [3, 4].map(item => batcher.add('a', item))
  expect(await Promise.all([...first, ...later])).toEqual(['a:0', 'a:1', 'a:2', 'a:3', 'a:4'])
  expect(batches).toEqual([
    ['a', [0, 1, 2]],
    ['a', [3, 4]],
  ])
})

it('never mixes orgs, and keeps flights to a size', async () => {
  const { lane: batcher, flights: batches } = makeRecorder(() => false)
  await Promise.all(listNumbers(100).flatMap(item => [batcher.add('a', item), batcher.add('b', item)]))
  expect(batches.map(([org, items]) => [org, items.length]).sort()).toEqual([
    ['a', 36],
    ['a', 64],
    ['b', 36],
    ['b', 64],
  ])
})

it('lets a bad one fail alone', async () => {
  const { lane: batcher } = makeRecorder(items => items.includes(2))
  const outcomes = await Promise.allSettled(listNumbers(5).map(item => batcher.add('a', item)))
  expect(outcomes.map(outcome => outcome.status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  expect(await batcher.add('a', 9)).toBe('a:9')
})
