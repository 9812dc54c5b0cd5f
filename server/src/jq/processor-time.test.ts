import { readlinkSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../../test/patience.ts'
import { systemClock } from '../lib/clock.ts'
import { makeMeter } from './processor-time.ts'

const ENOUGH_MS = 300
const LITTLE_MS = 100
const COMPUTE = 'for (;;);'
const WAIT = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'

const running: Worker[] = []
afterEach(() => Promise.all(running.splice(0).map(worker => worker.terminate())))

/** Starts a thread that sends its name and then runs the code, which never ends. */
function startMeter(code: string): Promise<() => number> {
  const text = `require('node:worker_threads').parentPort.postMessage(require('node:fs').readlinkSync('/proc/thread-self'))
    setTimeout(() => { ${code} })`
  const worker = new Worker(text, { eval: true, execArgv: [] })
  running.push(worker)
  return new Promise((resolve, reject) => {
    worker.once('message', (thread: string) => resolve(makeMeter(thread)))
    worker.once('error', reject)
  })
}

describe.runIf(process.platform === 'linux')('on Linux', () => {
  it('counts what a thread computes, but neither its waiting nor the computing of others', async () => {
    const [waits, computes] = await Promise.all([startMeter(WAIT), startMeter(COMPUTE)])
    const [waiting_before_ms, computing_before_ms] = [waits(), computes()]
    await until(() => computes() - computing_before_ms > ENOUGH_MS)
    expect(waits() - waiting_before_ms).toBeLessThan(LITTLE_MS)
  })

  it('returns the last value for a thread that has ended', async () => {
    const computes = await startMeter(COMPUTE)
    await until(() => computes() > ENOUGH_MS)
    const last_ms = computes()
    await Promise.all(running.splice(0).map(worker => worker.terminate()))
    expect(computes()).toBeGreaterThanOrEqual(last_ms)
  })

  it('reads this thread by its own name', () => {
    expect(makeMeter(readlinkSync('/proc/thread-self'))()).toBeGreaterThan(0)
  })
})

it('measures real time if threads have no name', () => {
  expect(makeMeter(undefined)).toBe(systemClock.monotonic_ms)
})
