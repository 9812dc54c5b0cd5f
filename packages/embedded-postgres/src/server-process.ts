// One started process: when and how it exited, and how to stop it with increasingly strong signals.
import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20

export interface ServerProcess {
  pid: number | undefined
  hasExited(): boolean
  /** Never rejects. Resolves to text that continues the program's name: "exited with code 1". */
  exited: Promise<string>
  send(signal: NodeJS.Signals): void
}

export interface EndingStep {
  signal: NodeJS.Signals
  wait_ms: number
}

/** The processes to stop: our own child or those of an earlier run. */
export interface Ending {
  isOver(): boolean | Promise<boolean>
  send(signal: NodeJS.Signals): void | Promise<void>
}

export function makeServerProcess(child: ChildProcess): ServerProcess {
  let has_exited = false
  const exited = new Promise<string>(resolve => {
    child.once('exit', (code, signal) => {
      has_exited = true
      resolve(signal === null ? `exited with code ${code}` : `was killed by ${signal}`)
    })
    child.once('error', error => {
      if (child.pid !== undefined) return
      has_exited = true
      resolve(`could not be started (${error.message}; set DATABASE_URL to use another PostgreSQL)`)
    })
  })
  return { pid: child.pid, hasExited: () => has_exited, exited, send: signal => void child.kill(signal) }
}

/** Returns false if even the last step failed. */
export async function endBySteps(ending: Ending, steps: EndingStep[]): Promise<boolean> {
  for (const { signal, wait_ms } of steps) {
    if (await ending.isOver()) return true
    await ending.send(signal)
    // Measures time instead of counting polls, because listing all processes is slow on a busy machine.
    const until_ns = process.hrtime.bigint() + BigInt(wait_ms) * 1_000_000n
    while (process.hrtime.bigint() < until_ns) {
      if (await ending.isOver()) return true
      await sleep(POLL_MS)
    }
  }
  return ending.isOver()
}
