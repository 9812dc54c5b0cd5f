// The context of a command: where it runs, the service it calls, and where its answer goes.
import type { CiJob } from '../ci/detect.ts'
import type { KeyRequest } from '../ci/exchange-token.ts'
import type { Report } from '../ci/report.ts'
import type { CiKey } from '../ci/stored-key.ts'
import type { Environment } from '../ci/systems.ts'
import type { Api } from '../http/api.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Output } from '../print/output.ts'
import type { Recorded, Write } from '../spool/record.ts'
import type { Raw, Sources } from '../values/resolve.ts'
import type { Flags } from './flags.ts'

/** The parts of a command that are known without running it. */
export interface Described {
  words: readonly string[]
  summary: string
  flags: Flags
  is_hidden?: boolean
}

/** The process: everything that a test replaces. */
export interface System {
  argv: readonly string[]
  env: Environment
  cwd: string
  version: string
  /** Opened on first use: most commands never read standard input. */
  getStdin(): NodeJS.ReadStream
  writeOut(text: string): void
  writeError(text: string): void
  isTerminal(): boolean
  now_ms(): number
  random_hex(): string
  /** Ends commands that run forever. */
  signal: AbortSignal
}

export interface Context {
  system: System
  /** The service URL without a trailing slash. */
  host: string
  org: string
  api: Api
  exchange: Exchange
  ci: CiJob | undefined
  /** How to get a key for the job's identity token. */
  key_request: KeyRequest
  output: Output
  /** The page of the CI run. */
  report: Report
  is_dry_run: boolean
  /** Answers yes to the confirmation before a deletion. */
  assumes_yes: boolean
  spool_root: string
  receipts_file: string
  /** `strict`: a write that waits in the spool is not a success. */
  spool_mode: string
  timeout_ms: number
  /** Aborted when the program is asked to stop. */
  signal: AbortSignal
  /** Sends a write through the spool. */
  record(write: Omit<Write, 'command' | 'org'>): Promise<Recorded>
  getToken(): Promise<string | undefined>
  /** The key for the job's identity token, used if there is no other; undefined if there is no token. */
  getJobKey: (() => Promise<CiKey>) | undefined
  /** The sources of the flag values. */
  origins: ReadonlyMap<string, Raw>
  sources: Sources
  /** All commands of the program. */
  loadCommands(): Promise<readonly Described[]>
}
