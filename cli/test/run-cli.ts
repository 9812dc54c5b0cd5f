// Runs the command line in this process, as a user would, with an environment and folders of its own.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli as run } from '../src/program/run.ts'

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

export interface Cli {
  /** Also its HOME. */
  folder: string
  env: Record<string, string>
  run(line: string, more?: { env?: Record<string, string> }): Promise<Ran>
  remove(): void
}

export function makeCli(env: Record<string, string>): Cli {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-cli-'))
  const own = { HOME: folder, PATH: process.env.PATH ?? '', WAYBILL_SPOOL_DIR: join(folder, 'spool'), ...env }
  return {
    folder,
    env: own,
    run: (line, { env: more = {} } = {}) => runOnce(splitLine(line), folder, { ...own, ...more }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function runOnce(argv: readonly string[], cwd: string, env: Record<string, string>): Promise<Ran> {
  const ran = { stdout: '', stderr: '' }
  const code = await run({
    argv,
    env,
    cwd,
    version: '0.0.0-test',
    stdin: process.stdin,
    writeOut: text => {
      ran.stdout += text
    },
    writeError: text => {
      ran.stderr += text
    },
    isTerminal: false,
    now_ms: () => Math.floor(performance.timeOrigin + performance.now()),
    random_hex: () => randomBytes(8).toString('hex'),
  })
  return { code, ...ran }
}

/** Single quotes keep spaces together. */
export function splitLine(line: string): string[] {
  const parts = line.match(/(?:'[^']*'|[^\s'])+/g) ?? []
  return parts.map(part => part.replaceAll("'", ''))
}
