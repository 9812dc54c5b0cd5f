import { expect, it } from 'vitest'
import { makeSharedReads } from './shared-reads.ts'

/** A source whose answers come when the test says so. */
function makeSource() {
  const asked: { answer(value: number): void; fail(): void }[] = []
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      asked.push({ answer: resolve, fail: () => reject(new Error('no')) })
    })
  return { asked, ask }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

it('asks once for everybody who came while an answer was under way, and only after they came', async () => {
  const { read } = makeSharedReads()
  const { asked, ask } = makeSource()
  const first = read('key', ask)
  const later = [read('key', ask), read('key', ask), read('key', ask)]
  expect(asked).toHaveLength(1)
  asked[0]?.answer(1)
  expect(await first).toBe(1)
  await turn()
  expect(asked).toHaveLength(2)
  asked[1]?.answer(2)
  expect(await Promise.all(later)).toEqual([2, 2, 2])
})

it('asks again for those who come while the answer for others is under way', async () => {
  const { read } = makeSharedReads()
  const { asked, ask } = makeSource()
  const answers: Promise<number>[] = [read('key', ask)]
  for (const value of [1, 2, 3]) {
    answers.push(read('key', ask))
    asked.at(-1)?.answer(value)
    await turn()
    expect(asked).toHaveLength(value + 1)
  }
  asked.at(-1)?.answer(4)
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4])
})

it('starts afresh when everybody who waited has an answer', async () => {
  const { read } = makeSharedReads()
  const { asked, ask } = makeSource()
  const answers = [read('key', ask), read('key', ask)]
  for (const value of [1, 2]) {
    asked.at(-1)?.answer(value)
    await turn()
  }
  expect(await Promise.all(answers)).toEqual([1, 2])
  const later = read('key', ask)
  expect(asked).toHaveLength(3)
  asked[2]?.answer(3)
  expect(await later).toBe(3)
})

it('starts afresh when nobody waits', async () => {
  const { read } = makeSharedReads()
  const { asked, ask } = makeSource()
  for (const value of [1, 2]) {
    const answer = read('key', ask)
    asked.at(-1)?.answer(value)
    expect(await answer).toBe(value)
    await turn()
  }
  expect(asked).toHaveLength(2)
})

it('keeps different reads apart', () => {
  const { read } = makeSharedReads()
  const { asked, ask } = makeSource()
  void read('one', ask)
  void read('two', ask)
  expect(asked).toHaveLength(2)
})

it('tells a failure to the one who asked; those who waited ask again', async () => {
  const { read } = makeSharedReads()
  const { asked, ask } = makeSource()
  const first = read('key', ask)
  const second = read('key', ask)
  asked[0]?.fail()
  await expect(first).rejects.toThrow('no')
  await turn()
  asked[1]?.answer(2)
  expect(await second).toBe(2)
})
