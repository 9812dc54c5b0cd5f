import { readlinkSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../../test/patience.ts'
import { systemClock } from '../lib/clock.ts'
import { makeMeter } from './processor-time.ts'

const ENOUGH_MS = 300
const A_LITTLE_MS = 100
const COMPUTES = 'for (;;);'
const WAITS = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'

const running: Worker[] = []
afterEach(() => Promise.all(running.splice(0).map(worker => worker.terminate())))

/** A thread that says what it is called and then does this without end. */
function startMeter(does: string): Promise<() => number> {
  const text = `require('node:worker_threads').parentPort.postMessage(require('node:fs').readlinkSync('/proc/thread-self'))
    setTimeout(() => { ${does} })`
  const worker = new Worker(text, { eval: true, execArgv: [] })
  running.push(worker)
  return new Promise((resolve, reject) => {
    worker.once('message', (thread: string) => resolve(makeMeter(thread)))
    worker.once('error', reject)
  })
}

describe.runIf(process.platform === 'linux')('on Linux', () => {
  it('counts what a thread computes, and neither its waiting nor what others compute', async () => {
    const [waits, computes] = await Promise.all([startMeter(WAITS), startMeter(COMPUTES)])
    const [waiting_before_ms, computing_before_ms] = [waits(), computes()]
    await until(() => computes() - computing_before_ms > ENOUGH_MS)
    expect(waits() - waiting_before_ms).toBeLessThan(A_LITTLE_MS)
  })

  it('says of a thread that has ended what it said last', async () => {
    const computes = await startMeter(COMPUTES)
    await until(() => computes() > ENOUGH_MS)
    const last_ms = computes()
    await Promise.all(running.splice(0).map(worker => worker.terminate()))
    expect(computes()).toBeGreaterThanOrEqual(last_ms)
  })

  it('reads this thread under the name that it gives itself', () => {
    expect(makeMeter(readlinkSync('/proc/thread-self'))()).toBeGreaterThan(0)
  })
})

it('is real time where threads have no name', () => {
  expect(makeMeter(undefined)).toBe(systemClock.monotonic_ms)
})
