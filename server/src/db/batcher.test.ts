import { expect, it } from 'vitest'
import { makeBatcher } from './batcher.ts'

function makeRecorder(fails: (items: number[]) => boolean) {
  const batches: [string, number[]][] = []
  const batcher = makeBatcher<number, string>(async (org_id, items) => {
    batches.push([org_id, items])
    for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
    if (fails(items)) throw new Error(`rejected ${items.join()}`)
    return items.map(item => `${org_id}:${item}`)
  })
  return { batcher, batches }
}

const listNumbers = (count: number) => Array.from({ length: count }, (_, i) => i)

it('batches items that arrive together, and puts those that arrive meanwhile into the next batch', async () => {
  const { batcher, batches } = makeRecorder(() => false)
  const first = listNumbers(3).map(item => batcher.add('a', item))
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
  const later = [3, 4].map(item => batcher.add('a', item))
  expect(await Promise.all([...first, ...later])).toEqual(['a:0', 'a:1', 'a:2', 'a:3', 'a:4'])
  expect(batches).toEqual([
    ['a', [0, 1, 2]],
    ['a', [3, 4]],
  ])
})

it('sends a second batch as soon as it is worth it, and never a third', async () => {
  const open: (() => void)[] = []
  const sizes: number[] = []
  const batcher = makeBatcher<number, number>(async (_, items) => {
    sizes.push(items.length)
    await new Promise<void>(resolve => open.push(resolve))
    return items
  })
  const nextTurn = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)))
  const results: Promise<number>[] = []
  for (const count of [1, 7, 1, 20]) {
    results.push(...listNumbers(count).map(item => batcher.add('a', item)))
    await nextTurn()
  }
  expect(sizes).toEqual([1, 8])
  while (open.length > 0) {
    open.shift()?.()
    await nextTurn()
  }
  await Promise.all(results)
  expect(sizes).toEqual([1, 8, 20])
})

it('never mixes orgs, and limits the size of a batch', async () => {
  const { batcher, batches } = makeRecorder(() => false)
  await Promise.all(listNumbers(100).flatMap(item => [batcher.add('a', item), batcher.add('b', item)]))
  expect(batches.map(([org, items]) => [org, items.length]).sort()).toEqual([
    ['a', 36],
    ['a', 64],
    ['b', 36],
    ['b', 64],
  ])
})

it('lets a bad item fail alone', async () => {
  const { batcher } = makeRecorder(items => items.includes(2))
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
