// One started process: when and how it ended, and how to end it with growing force.
import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20

export interface ServerProcess {
  pid: number | undefined
  hasExited(): boolean
  /** Resolves, never rejects, with words that follow the program's name: "exited with code 1". */
  exited: Promise<string>
  send(signal: NodeJS.Signals): void
}

export interface EndingStep {
  signal: NodeJS.Signals
  wait_ms: number
}

/** What is to be ended: a child of ours or processes somebody left behind. */
export interface Ending {
  isOver(): boolean | Promise<boolean>
  send(signal: NodeJS.Signals): void | Promise<void>
}

export function makeServerProcess(child: ChildProcess): ServerProcess {
  let has_exited = false
  const exited = new Promise<string>(resolve => {
    child.once('exit', (code, signal) => {
      has_exited = true
      resolve(signal === null ? `exited with code ${code}` : `was ended by ${signal}`)
    })
    child.once('error', error => {
      if (child.pid !== undefined) return
      has_exited = true
      resolve(`could not be started (${error.message}; DATABASE_URL names a PostgreSQL to use instead)`)
    })
  })
  return { pid: child.pid, hasExited: () => has_exited, exited, send: signal => void child.kill(signal) }
}

/** Returns false when not even the last step helped. */
export async function endBySteps(ending: Ending, steps: EndingStep[]): Promise<boolean> {
  for (const { signal, wait_ms } of steps) {
    if (await ending.isOver()) return true
    await ending.send(signal)
    // By the clock and not by counting polls: looking through every process takes its time on a busy machine.
    const until_ns = process.hrtime.bigint() + BigInt(wait_ms) * 1_000_000n
    while (process.hrtime.bigint() < until_ns) {
      if (await ending.isOver()) return true
      await sleep(POLL_MS)
    }
  }
  return ending.isOver()
}
