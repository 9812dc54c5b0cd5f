// Whose work begins when, seen without any thread: a turn begins when it is given and ends when the test says so.
import { afterEach, describe, expect, it } from 'vitest'
import { PATIENCE_MS } from '../../test/patience.ts'
import { makeTurns, type Turn, type Turns } from './turns.ts'

const [MOST_PER_ORG, WAITING_PER_ORG, WAITING] = [2, 64, 512]
const A_SECOND_MS = 1_000
const AN_HOUR_MS = 3_600_000

let open: Turns[] = []
afterEach(() => {
  for (const turns of open) turns.close()
  open = []
})

/** Records who began, in order, and who was refused, by status. */
function makeScene() {
  let now_ms = 0
  const turns = makeTurns(PATIENCE_MS, { monotonic_ms: () => now_ms })
  open.push(turns)
  const begun: string[] = []
  const running: { org: string; turn: Turn }[] = []
  const refused: { org: string; status: number }[] = []
  const settle = () => new Promise(resolve => setImmediate(resolve))
  return {
    begun,
    running,
    refused,
    turns,
    advance: (ms: number) => {
      now_ms += ms
    },
    take: async (org: string, times = 1) => {
      for (let requested = 0; requested < times; requested++) {
        turns.take(org).then(
          turn => {
            begun.push(org)
            running.push({ org, turn })
          },
          ({ status }) => refused.push({ org, status }),
        )
      }
      await settle()
    },
    /** Ends the oldest turn of the organization. */
    end: async (org: string, computed_ms = 0) => {
      const index = running.findIndex(one => one.org === org)
      const [finished] = running.splice(index, 1)
      if (index < 0 || !finished) throw new Error(`nothing of ${org} runs`)
      finished.turn.end(computed_ms)
      await settle()
    },
  }
}

describe('an organization', () => {
  it('never has all threads, even alone', async () => {
    const { take, begun } = makeScene()
    await take('a', 40)
    expect(begun).toEqual(Array(MOST_PER_ORG).fill('a'))
    await take('b')
    expect(begun.at(-1)).toBe('b')
  })

  it('that arrives begins before anything more of one with much waiting, and then they alternate', async () => {
    const { take, end, begun } = makeScene()
    await take('a', 40)
    await take('b', 3)
    expect(begun).toEqual(['a', 'a', 'b'])
    for (let finished = 0; finished < 2; finished++) {
      await end('a')
      await end('b')
    }
    expect(begun).toEqual(['a', 'a', 'b', 'a', 'b', 'a', 'b'])
  })

  it('gets its share, however much the others have waiting', async () => {
    const { take, end, begun, running } = makeScene()
    for (const org of ['a', 'b', 'c', 'd', 'e']) await take(org, 20)
    for (let finished = 0; finished < 47; finished++) await end(running[0]?.org ?? '')
    for (const org of ['a', 'b', 'c', 'd', 'e']) {
      expect(begun.filter(one => one === org).length).toBeGreaterThanOrEqual(9)
    }
  })

  it('that used much processor time goes behind those that did not, and leaves them a thread', async () => {
    const { take, end, begun } = makeScene()
    for (let heavy = 0; heavy < 2; heavy++) {
      await take('a')
      await end('a', A_SECOND_MS)
      await take('b')
      await end('b', A_SECOND_MS)
    }
    begun.length = 0
    await take('a', 10)
    await take('b', 10)
    expect(begun).toEqual(['a', 'a'])
    await take('c', 2)
    expect(begun).toEqual(['a', 'a', 'c'])
    await end('a')
    expect(begun).toEqual(['a', 'a', 'c', 'c'])
    await end('c')
    expect(begun).toHaveLength(4)
    await end('c')
    expect(begun.slice(4)).toEqual(['b'])
  })

  it('gets a thread again only when its turn has ended, and never one that somebody has', async () => {
    const { take, end, running } = makeScene()
    await take('a', 3)
    await take('b', 2)
    expect(new Set(running.map(({ turn }) => turn.thread)).size).toBe(3)
    await end('a')
    expect(new Set(running.map(({ turn }) => turn.thread)).size).toBe(3)
  })

  it('with many short programs has not used much, however long that goes on', async () => {
    const { take: ask, end, begun } = makeScene()
    for (let short = 0; short < 1_000; short++) {
      await ask('a')
      await end('a', 10)
    }
    await ask('b', 2)
    await ask('a')
    expect(begun.slice(-3)).toEqual(['b', 'b', 'a'])
  })

  it('that used much is forgiven in time', async () => {
    const { take: ask, end, begun, advance } = makeScene()
    await ask('a')
    await end('a', 10 * A_SECOND_MS)
    await ask('b', 2)
    await ask('a')
    expect(begun).toEqual(['a', 'b', 'b'])
    advance(AN_HOUR_MS)
    await ask('c')
    expect(begun.slice(3)).toEqual(['a'])
  })
})

describe('a queue', () => {
  it('that is full refuses its own organization, and no other', async () => {
    const { take: ask, refused } = makeScene()
    await ask('a', MOST_PER_ORG + WAITING_PER_ORG)
    expect(refused).toEqual([])
    await ask('a', 3)
    expect(refused).toEqual(Array(3).fill({ org: 'a', status: 429 }))
    await ask('b', 1 + WAITING_PER_ORG)
    expect(refused).toHaveLength(3)
  })

  it('that is the longest is shortened when too many wait in all', async () => {
    const { take: ask, refused } = makeScene()
    const orgs = Array.from({ length: WAITING / (WAITING_PER_ORG / 2) }, (_, i) => `org-${i}`)
    await ask('a', MOST_PER_ORG + WAITING_PER_ORG)
    await ask('first', 1)
    for (const org of orgs) await ask(org, WAITING_PER_ORG / 2)
    expect(refused.length).toBe(WAITING_PER_ORG)
    expect(refused.filter(({ org }) => org === 'a').length).toBeGreaterThanOrEqual(WAITING_PER_ORG / 2)
    await ask('newcomer')
    expect(refused.map(({ org }) => org)).not.toContain('newcomer')
  })

  it('is emptied when the service stops', async () => {
    const { take: ask, refused, turns } = makeScene()
    await ask('a', MOST_PER_ORG + 2)
    turns.close()
    await ask('b')
    expect(refused).toEqual([
      { org: 'a', status: 503 },
      { org: 'a', status: 503 },
      { org: 'b', status: 503 },
    ])
  })
})
