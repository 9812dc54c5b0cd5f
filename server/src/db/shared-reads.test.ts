import { expect, it } from 'vitest'
import { makeSharedReads } from './shared-reads.ts'

/** A source whose answers come when the test says so. */
function makeSource() {
  const calls: { answer(value: number): void; fail(): void }[] = []
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      calls.push({ answer: resolve, fail: () => reject(new Error('no')) })
    })
  return { asked: calls, ask }
}

const waitTurn = () => new Promise(resolve => setImmediate(resolve))

it('asks once for everybody who came while an answer was under way, and only after they came', async () => {
  const { read } = makeSharedReads()
  const { asked: calls, ask } = makeSource()
  const first = read('key', ask)
  const later = [read('key', ask), read('key', ask), read('key', ask)]
  expect(calls).toHaveLength(1)
  calls[0]?.answer(1)
  expect(await first).toBe(1)
  await waitTurn()
  expect(calls).toHaveLength(2)
  calls[1]?.answer(2)
  expect(await Promise.all(later)).toEqual([2, 2, 2])
})

it('asks again for those who come while the answer for others is under way', async () => {
  const { read } = makeSharedReads()
  const { asked: calls, ask } = makeSource()
  const answers: Promise<number>[] = [read('key', ask)]
  for (const value of [1, 2, 3]) {
    answers.push(read('key', ask))
    calls.at(-1)?.answer(value)
    await waitTurn()
    expect(calls).toHaveLength(value + 1)
  }
  calls.at(-1)?.answer(4)
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4])
})

it('starts afresh when everybody who waited has an answer', async () => {
  const { read } = makeSharedReads()
  const { asked: calls, ask } = makeSource()
  const answers = [read('key', ask), read('key', ask)]
  for (const value of [1, 2]) {
    calls.at(-1)?.answer(value)
    await waitTurn()
  }
  expect(await Promise.all(answers)).toEqual([1, 2])
  const later = read('key', ask)
  expect(calls).toHaveLength(3)
  calls[2]?.answer(3)
  expect(await later).toBe(3)
})

it('starts afresh when nobody waits', async () => {
  const { read } = makeSharedReads()
  const { asked: calls, ask } = makeSource()
  for (const value of [1, 2]) {
    const answer = read('key', ask)
    calls.at(-1)?.answer(value)
    expect(await answer).toBe(value)
    await waitTurn()
  }
  expect(calls).toHaveLength(2)
})

it('keeps different reads apart', () => {
  const { read } = makeSharedReads()
  const { asked: calls, ask } = makeSource()
  void read('one', ask)
  void read('two', ask)
  expect(calls).toHaveLength(2)
})

it('tells a failure to the one who asked; those who waited ask again', async () => {
  const { read } = makeSharedReads()
  const { asked: calls, ask } = makeSource()
  const first = read('key', ask)
  const second = read('key', ask)
  calls[0]?.fail()
  await expect(first).rejects.toThrow('no')
  await waitTurn()
  calls[1]?.answer(2)
  expect(await second).toBe(2)
})
