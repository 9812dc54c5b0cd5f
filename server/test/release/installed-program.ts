// Starts an installed program, whichever way it was installed, and waits for its ready line.
import { type ChildProcess, spawn } from 'node:child_process'
import { until } from '../patience.ts'
import { addCleanUp, collectOutput, type Ending, waitForEnd } from '../service.ts'

export interface Installed {
  port: number
  /** The key printed at the first start. */
  key: string
  stdout(): string
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<Ending>
}

const READY = /^Waybill is ready: .*\n/m
const FIRST_KEY = /^ {2}(wb_user_\w+)$/m

export function startInstalled(
  command: string[],
  port: number,
  env: Record<string, string>,
): Promise<Installed> {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    env: { WAYBILL_RATE_LIMIT: 'off', PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return waitUntilReady(child, port)
}

export async function waitUntilReady(child: ChildProcess, port: number): Promise<Installed> {
  const output = collectOutput(child)
  let ending: Ending | undefined
  const ended = waitForEnd(child).then(value => {
    ending = value
    return value
  })
  addCleanUp(() => void child.kill('SIGKILL'))
  await until(() => {
    if (ending) throw new Error(`it ended (${ending.code ?? ending.signal}): ${output.stderr()}`)
    return READY.test(output.stdout())
  })
  return {
    port,
    key: FIRST_KEY.exec(output.stdout())?.[1] ?? '',
    stdout: output.stdout,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}
