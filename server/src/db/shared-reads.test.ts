import { expect, it } from 'vitest'
import { makeSharedReads } from './shared-reads.ts'

/** Queries that end when the test tells them to. */
function makeSource() {
  const calls: { succeed(value: number): void; fail(): void }[] = []
  const query = () =>
    new Promise<number>((resolve, reject) => {
      calls.push({ succeed: resolve, fail: () => reject(new Error('no')) })
    })
  return { calls, query }
}

const waitTurn = () => new Promise(resolve => setImmediate(resolve))

it('runs one query for all reads that arrived during another, and only after they arrived', async () => {
  const { read } = makeSharedReads()
  const { calls, query } = makeSource()
  const first = read('key', query)
  const later = [read('key', query), read('key', query), read('key', query)]
  expect(calls).toHaveLength(1)
  calls[0]?.succeed(1)
  expect(await first).toBe(1)
  await waitTurn()
  expect(calls).toHaveLength(2)
  calls[1]?.succeed(2)
  expect(await Promise.all(later)).toEqual([2, 2, 2])
})

it('runs another query for reads that arrive while the query of others is running', async () => {
  const { read } = makeSharedReads()
  const { calls, query } = makeSource()
  const answers: Promise<number>[] = [read('key', query)]
  for (const value of [1, 2, 3]) {
    answers.push(read('key', query))
    calls.at(-1)?.succeed(value)
    await waitTurn()
    expect(calls).toHaveLength(value + 1)
  }
  calls.at(-1)?.succeed(4)
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4])
})

it('starts over when every waiting read has its result', async () => {
  const { read } = makeSharedReads()
  const { calls, query } = makeSource()
  const answers = [read('key', query), read('key', query)]
  for (const value of [1, 2]) {
    calls.at(-1)?.succeed(value)
    await waitTurn()
  }
  expect(await Promise.all(answers)).toEqual([1, 2])
  const later = read('key', query)
  expect(calls).toHaveLength(3)
  calls[2]?.succeed(3)
  expect(await later).toBe(3)
})

it('starts over when no read is waiting', async () => {
  const { read } = makeSharedReads()
  const { calls, query } = makeSource()
  for (const value of [1, 2]) {
    const answer = read('key', query)
    calls.at(-1)?.succeed(value)
    expect(await answer).toBe(value)
    await waitTurn()
  }
  expect(calls).toHaveLength(2)
})

it('keeps different reads apart', () => {
  const { read } = makeSharedReads()
  const { calls, query } = makeSource()
  void read('one', query)
  void read('two', query)
  expect(calls).toHaveLength(2)
})

it('reports a failure to the read that started the query; the waiting reads run another one', async () => {
  const { read } = makeSharedReads()
  const { calls, query } = makeSource()
  const first = read('key', query)
  const second = read('key', query)
  calls[0]?.fail()
  await expect(first).rejects.toThrow('no')
  await waitTurn()
  calls[1]?.succeed(2)
  expect(await second).toBe(2)
})
