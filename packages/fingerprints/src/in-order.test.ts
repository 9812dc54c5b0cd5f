import { describe, expect, it } from 'vitest'
import { mapInOrder } from './in-order.ts'

async function* count(limit: number) {
  for (let number = 0; number < limit; number++) yield number
}

/** Work that ends on command. */
function makeWork() {
  const under_way = new Map<number, { resolve(value: number): void; reject(reason: Error): void }>()
  let most = 0
  const work = (item: number) =>
    new Promise<number>((resolve, reject) => {
      under_way.set(item, { resolve, reject })
      most = Math.max(most, under_way.size)
    })
  const end = (item: number) => {
    under_way.get(item)?.resolve(item)
    under_way.delete(item)
  }
  return { work, end, under_way, getMost: () => most }
}

describe('a map in order', () => {
  it('returns results in the order of their sources, however they end', async () => {
    const results: number[] = []
    const work = async (item: number) => {
      for (let turns = (item * 7) % 5; turns > 0; turns--) await Promise.resolve()
      return item
    }
    for await (const result of mapInOrder(count(100), 8, work)) results.push(result)
    expect(results).toEqual(Array.from({ length: 100 }, (_, index) => index))
  })

  it('works on no more than the limit at once', async () => {
    const { work, end, under_way, getMost } = makeWork()
    const results = mapInOrder(count(20), 4, work)
    const first = results.next()
    await expect.poll(() => under_way.size).toBe(4)
    for (const item of [3, 1, 0]) end(item)
    expect(await first).toEqual({ done: false, value: 0 })
    const rest = (async () => {
      const found: number[] = []
      for await (const item of results) found.push(item)
      return found
    })()
    for (let item = 1; item < 20; item++) {
      await expect.poll(() => item < 4 || under_way.has(item)).toBe(true)
      end(item)
    }
    expect(await rest).toHaveLength(19)
    expect(getMost()).toBe(4)
  })

  it('throws only after everything under way has ended', async () => {
    const { work, end, under_way } = makeWork()
    const results = mapInOrder(count(3), 3, work)
    const first = results.next()
    await expect.poll(() => under_way.size).toBe(3)
    under_way.get(0)?.reject(new Error('broken'))
    let hasThrown = false
    const thrown = first.catch(error => {
      hasThrown = true
      return error
    })
    end(1)
    // Everything that can happen without the last one has happened by now.
    await new Promise(resolve => setImmediate(resolve))
    expect(hasThrown).toBe(false)
    end(2)
    expect(await thrown).toEqual(new Error('broken'))
  })
})
