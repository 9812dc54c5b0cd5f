// What a command has to work with: where it runs, whom it talks to, and where its answer goes.
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

/** What is known of a command without running it. */
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
  /** Opened on first use: most commands never read it. */
  getStdin(): NodeJS.ReadStream
  writeOut(text: string): void
  writeError(text: string): void
  isTerminal(): boolean
  now_ms(): number
  random_hex(): string
  /** Ends commands that run for ever. */
  signal: AbortSignal
}

export interface Context {
  system: System
  /** The address of the service without a slash at the end. */
  host: string
  org: string
  api: Api
  exchange: Exchange
  ci: CiJob | undefined
  /** What it takes to get a key for the identity token of the job. */
  key_request: KeyRequest
  output: Output
  /** The page of the CI run. */
  report: Report
  is_dry_run: boolean
  /** Answers yes to the question before something is deleted. */
  assumes_yes: boolean
  spool_root: string
  /** `strict`: a write that waits in the spool is not a success. */
  spool_mode: string
  timeout_ms: number
  /** Aborted when the program is asked to stop. */
  signal: AbortSignal
  /** Sends a write through the spool. */
  record(write: Omit<Write, 'command' | 'org'>): Promise<Recorded>
  getToken(): Promise<string | undefined>
  /** The key for the identity token of the job, which is used if there is no other; undefined if there is no such token. */
  getJobKey: (() => Promise<CiKey>) | undefined
  /** Where the values of the flags came from. */
  origins: ReadonlyMap<string, Raw>
  sources: Sources
  /** All commands of the program. */
  loadCommands(): Promise<readonly Described[]>
}
