// The order in which work begins, tested without threads: a turn ends when the test ends it.
import { afterEach, describe, expect, it } from 'vitest'
import { PATIENCE_MS } from '../../test/patience.ts'
import { makeTurns, type Turn, type Turns } from './turns.ts'

const [MAX_RUNNING_PER_SPONSOR, MAX_WAITING_PER_ORG, MAX_WAITING] = [2, 64, 512]
const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

let open: Turns[] = []
afterEach(() => {
  for (const turns of open) turns.close()
  open = []
})

/** Records which organizations began, in order, and which were rejected, with the status. */
function makeRecorder() {
  let now_ms = 0
  const turns = makeTurns(PATIENCE_MS, { monotonic_ms: () => now_ms })
  open.push(turns)
  const begun: string[] = []
  const running: { org: string; turn: Turn }[] = []
  const rejected: { org: string; status: number }[] = []
  const settle = () => new Promise(resolve => setImmediate(resolve))
  return {
    begun,
    running,
    rejected,
    turns,
    advance: (ms: number) => {
      now_ms += ms
    },
    /** `a/1` is an organization of sponsor `a`; a name without a slash is both. */
    take: async (org: string, times = 1) => {
      for (let requested = 0; requested < times; requested++) {
        turns.take({ org_id: org, sponsor: org.split('/', 1)[0] ?? '' }).then(
          turn => {
            begun.push(org)
            running.push({ org, turn })
          },
          ({ status }) => rejected.push({ org, status }),
        )
      }
      await settle()
    },
    /** Ends the oldest turn of the organization. */
    end: async (org: string, computed_ms = 0) => {
      const index = running.findIndex(one => one.org === org)
      const [finished] = running.splice(index, 1)
      if (index < 0 || !finished) throw new Error(`No work of ${org} is running`)
      finished.turn.end(computed_ms)
      await settle()
    },
  }
}

describe('an organization', () => {
  it('never has all threads, even alone', async () => {
    const { take, begun } = makeRecorder()
    await take('a', 40)
    expect(begun).toEqual(Array(MAX_RUNNING_PER_SPONSOR).fill('a'))
    await take('b')
    expect(begun.at(-1)).toBe('b')
  })

  it('that arrives goes before the backlog of another, and then they alternate', async () => {
    const { take, end, begun } = makeRecorder()
    await take('a', 40)
    await take('b', 3)
    expect(begun).toEqual(['a', 'a', 'b'])
    for (let finished = 0; finished < 2; finished++) {
      await end('a')
      await end('b')
    }
    expect(begun).toEqual(['a', 'a', 'b', 'a', 'b', 'a', 'b'])
  })

  it('gets its share, however much work of others is waiting', async () => {
    const { take, end, begun, running } = makeRecorder()
    for (const org of ['a', 'b', 'c', 'd', 'e']) await take(org, 20)
    for (let finished = 0; finished < 47; finished++) await end(running[0]?.org ?? '')
    for (const org of ['a', 'b', 'c', 'd', 'e']) {
      expect(begun.filter(one => one === org).length).toBeGreaterThanOrEqual(9)
    }
  })

  it('that used much processor time goes after those that did not, and leaves them a thread', async () => {
    const { take, end, begun } = makeRecorder()
    for (let heavy = 0; heavy < 2; heavy++) {
      await take('a')
      await end('a', SECOND_MS)
      await take('b')
      await end('b', SECOND_MS)
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

  it('gets a thread only when it is free', async () => {
    const { take, end, running } = makeRecorder()
    await take('a', 3)
    await take('b', 2)
    expect(new Set(running.map(({ turn }) => turn.thread)).size).toBe(3)
    await end('a')
    expect(new Set(running.map(({ turn }) => turn.thread)).size).toBe(3)
  })

  it('with only short programs never counts as a heavy user', async () => {
    const { take, end, begun } = makeRecorder()
    for (let short = 0; short < 1_000; short++) {
      await take('a')
      await end('a', 10)
    }
    await take('b', 2)
    await take('a')
    expect(begun.slice(-3)).toEqual(['b', 'b', 'a'])
  })

  it('is no longer a heavy user after some time', async () => {
    const { take, end, begun, advance } = makeRecorder()
    await take('a')
    await end('a', 10 * SECOND_MS)
    await take('b', 2)
    await take('a')
    expect(begun).toEqual(['a', 'b', 'b'])
    advance(HOUR_MS)
    await take('c')
    expect(begun.slice(3)).toEqual(['a'])
  })
})

describe('the organizations of one sponsor', () => {
  const FORTY = Array.from({ length: 40 }, (_, i) => `mallory/${i}`)

  it('get one turn together: forty of them take half of the turns beside one other', async () => {
    const { take, end, begun, running } = makeRecorder()
    for (const org of FORTY) await take(org, 2)
    await take('ada', 30)
    begun.length = 0
    for (let finished = 0; finished < 40; finished++) await end(running[0]?.org ?? '')
    const others = begun.filter(org => org === 'ada').length
    expect(others).toBeGreaterThanOrEqual(19)
    expect(new Set(begun.filter(org => org !== 'ada')).size).toBe(begun.length - others)
  })

  it('never have all threads together', async () => {
    const { take, begun } = makeRecorder()
    for (const org of FORTY) await take(org)
    expect(begun).toHaveLength(MAX_RUNNING_PER_SPONSOR)
    await take('ada')
    expect(begun.at(-1)).toBe('ada')
  })

  it('take turns among themselves', async () => {
    const { take, end, begun } = makeRecorder()
    await take('acme/build', 10)
    await take('acme/docs', 3)
    for (const org of ['build', 'build', 'docs', 'build']) await end(`acme/${org}`)
    expect(begun.slice(2)).toEqual(['acme/docs', 'acme/build', 'acme/docs', 'acme/build'])
  })

  it('used much processor time if they did so together', async () => {
    const { take, end, begun } = makeRecorder()
    for (const org of FORTY.slice(0, 4)) {
      await take(org)
      await end(org, SECOND_MS)
    }
    await take('mallory/4', 3)
    begun.length = 0
    await take('ada', 2)
    await end('mallory/4')
    expect(begun).toEqual(['ada', 'ada'])
  })

  it('lose what waits before others do when too much is waiting in total', async () => {
    const { take, rejected } = makeRecorder()
    await take('ada', MAX_RUNNING_PER_SPONSOR + MAX_WAITING_PER_ORG)
    for (const org of FORTY) await take(org, 20)
    expect(rejected.length).toBeGreaterThan(300)
    expect(rejected.map(({ org }) => org)).not.toContain('ada')
  })
})

describe('a queue', () => {
  it('that is full rejects only work of its own organization', async () => {
    const { take, rejected } = makeRecorder()
    await take('a', MAX_RUNNING_PER_SPONSOR + MAX_WAITING_PER_ORG)
    expect(rejected).toEqual([])
    await take('a', 3)
    expect(rejected).toEqual(Array(3).fill({ org: 'a', status: 429 }))
    await take('b', 1 + MAX_WAITING_PER_ORG)
    expect(rejected).toHaveLength(3)
  })

  it('that is the longest is shortened when too much work is waiting in total', async () => {
    const { take, rejected } = makeRecorder()
    const orgs = Array.from({ length: MAX_WAITING / (MAX_WAITING_PER_ORG / 2) }, (_, i) => `org-${i}`)
    await take('a', MAX_RUNNING_PER_SPONSOR + MAX_WAITING_PER_ORG)
    await take('first', 1)
    for (const org of orgs) await take(org, MAX_WAITING_PER_ORG / 2)
    expect(rejected.length).toBe(MAX_WAITING_PER_ORG)
    expect(rejected.filter(({ org }) => org === 'a').length).toBeGreaterThanOrEqual(MAX_WAITING_PER_ORG / 2)
    await take('newcomer')
    expect(rejected.map(({ org }) => org)).not.toContain('newcomer')
  })

  it('is emptied when the service stops', async () => {
    const { take, rejected, turns } = makeRecorder()
    await take('a', MAX_RUNNING_PER_SPONSOR + 2)
    turns.close()
    await take('b')
    expect(rejected).toEqual([
      { org: 'a', status: 503 },
      { org: 'a', status: 503 },
      { org: 'b', status: 503 },
    ])
  })
})
