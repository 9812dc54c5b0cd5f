// Runs the command line in this process, as a user would, with a separate environment and folders.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { runCli as run } from '../src/program/run.ts'

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

interface RunOptions {
  env?: Record<string, string>
  input?: string
  signal?: AbortSignal
  /** Called with everything written to standard error, as it is written. */
  onError?: (text: string) => void
}

export interface Cli {
  /** Also the HOME of the command. */
  folder: string
  env: Record<string, string>
  /** `input` is the content of standard input; empty if omitted. */
  run(line: string, more?: RunOptions): Promise<Ran>
  remove(): void
}

const readClock = () => Math.floor(performance.timeOrigin + performance.now())
const NEVER = new AbortController().signal

/** `now_ms` is the service's clock, which may be one that only tests move. */
export function makeCli(env: Record<string, string>, now_ms: () => number = readClock): Cli {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-cli-'))
  const own = { HOME: folder, PATH: process.env.PATH ?? '', WAYBILL_SPOOL_DIR: join(folder, 'spool'), ...env }
  return {
    folder,
    env: own,
    run: (line, { env: more = {}, input = '', signal = NEVER, onError = () => undefined } = {}) =>
      runOnce(splitLine(line), { cwd: folder, env: { ...own, ...more }, input, signal, onError, now_ms }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

interface Surroundings {
  cwd: string
  env: Record<string, string>
  input: string
  signal: AbortSignal
  onError(text: string): void
  now_ms(): number
}

export async function runOnce(
  argv: readonly string[],
  { cwd, env, input, signal, onError, now_ms }: Surroundings,
): Promise<Ran> {
  const ran = { stdout: '', stderr: '' }
  const code = await run({
    argv,
    env,
    cwd,
    version: '0.0.0-test',
    getStdin: () => Readable.from([input]) as unknown as NodeJS.ReadStream,
    writeOut: text => {
      ran.stdout += text
    },
    writeError: text => {
      ran.stderr += text
      onError(text)
    },
    isTerminal: () => false,
    now_ms,
    random_hex: () => randomBytes(8).toString('hex'),
    signal,
  })
  return { code, ...ran }
}

/** Single quotes keep spaces together. */
export function splitLine(line: string): string[] {
  const parts = line.match(/(?:'[^']*'|[^\s'])+/g) ?? []
  return parts.map(part => part.replaceAll("'", ''))
}
