import { describe, expect, it } from 'vitest'
import { makeIds, parseWireId, toWireId } from './ids.ts'

const WIRE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}$/
const START_MS = Date.UTC(2026, 2, 3, 12)

function makeIdsAt(start_ms: number) {
  let now_ms = start_ms
  const ids = makeIds({ now: () => new Date(now_ms), monotonic_ms: () => 0 })
  return { next: ids.next, moveTo: (ms: number) => (now_ms = ms) }
}

const parseTime = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

describe('an id', () => {
  it('is a UUIDv7 of its time that ends in zeros', () => {
    const id = makeIdsAt(START_MS).next()
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{8}0000$/)
    expect(parseTime(id)).toBe(START_MS)
  })

  it('sorts after the previous one, ten thousand times in one millisecond', () => {
    const { next } = makeIdsAt(START_MS)
    const made = Array.from({ length: 10_000 }, next)
    expect(made.toSorted()).toEqual(made)
    expect(new Set(made).size).toBe(10_000)
    expect(parseTime(made.at(-1) ?? '')).toBe(START_MS + 2)
  })

  it('sorts after the previous one when the clock steps back', () => {
    const { next, moveTo } = makeIdsAt(START_MS)
    const first = next()
    moveTo(START_MS - 60_000)
    const second = next()
    moveTo(START_MS + 1)
    const third = next()
    expect([first, second, third].toSorted()).toEqual([first, second, third])
    expect(parseTime(third)).toBe(START_MS + 1)
  })

  it("sorts after another process's id that was generated earlier in the same millisecond", () => {
    let unix_ms = START_MS
    const clock = { now: () => new Date(unix_ms), unix_ms: () => unix_ms, monotonic_ms: () => 0 }
    const [one, two] = [makeIds(clock), makeIds(clock)]
    const made = Array.from({ length: 999 }, (_, i) => {
      unix_ms = START_MS + (i + 1) / 1000
      return (i % 2 ? one : two).next()
    })
    expect(made.toSorted()).toEqual(made)
    expect(new Set(made.map(parseTime))).toEqual(new Set([START_MS]))
  })

  it('is never generated twice by two processes at the same time', () => {
    const [one, two] = [makeIdsAt(START_MS), makeIdsAt(START_MS)]
    const made = Array.from({ length: 5000 }, () => [one.next(), two.next()]).flat()
    expect(new Set(made).size).toBe(10_000)
  })
})

describe('the wire format', () => {
  it('has five groups and converts back to the id', () => {
    const { next } = makeIdsAt(START_MS)
    for (let i = 0; i < 1000; i++) {
      const id = next()
      expect(toWireId(id)).toMatch(WIRE)
      expect(parseWireId(toWireId(id))).toBe(id)
    }
  })

  it.each([
    ['a whole UUID', '019cb391-c200-7019-9719-3d645e270000'],
    ['capitals', '019CB391-C200-7019-9719-3D645E27'],
    ['no hyphens', '019cb391c200701997193d645e27'],
    ['something after it', '019cb391-c200-7019-9719-3d645e27\n'],
    ['something before it', ' 019cb391-c200-7019-9719-3d645e27'],
    ['words', 'latest'],
    ['nothing', ''],
  ])('is not %s', (_, text) => {
    expect(parseWireId(text)).toBeUndefined()
  })
})
