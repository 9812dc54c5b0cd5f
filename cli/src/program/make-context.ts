// Makes a command's context from its flags: the service, the credential, the spool, the output.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { CiJob } from '../ci/detect.ts'
import { makeJobKey } from '../ci/job-key.ts'
import { makeReport, type Report } from '../ci/report.ts'
import { getKeyFolder, openKeyStore } from '../ci/stored-key.ts'
import type { Environment } from '../ci/systems.ts'
import { readStoredToken } from '../credentials.ts'
import { type Api, makeApi } from '../http/api.ts'
import type { Receipts } from '../http/call.ts'
import { isConfidential } from '../http/confidential.ts'
import { makeExchange } from '../http/exchange.ts'
import { makeOutput } from '../print/output.ts'
import { makeReceipts } from '../receipts/receipts.ts'
import type { Resolution, Sources } from '../values/resolve.ts'
import type { Catalogue } from './catalogue.ts'
import type { Command } from './command.ts'
import type { Context, System } from './context.ts'
import type { Flags, ValuesOf } from './flags.ts'
import type { GLOBAL_FLAGS } from './globals.ts'
import { failUsage } from './problem.ts'

interface Made {
  system: System
  /** Prints a command for the CI system. */
  writeCommand: System['writeError']
  command: Command
  resolution: Resolution<Flags>
  sources: Sources
  catalogue: Catalogue
}

/** Other clients take this key as a request for a dry run. */
const DRY_RUN_KEY = 'DRY_RUN'

export function makeContext(made: Made): Context {
  const { system, writeCommand, command, resolution, sources, catalogue } = made
  const { ci } = sources
  const flags = resolution.values as ValuesOf<typeof GLOBAL_FLAGS>
  const host = readHost(flags.host, resolution.origins.get('host')?.from ?? 'the default')
  const output = makeOutput({
    form: flags.output,
    // `create attestation-type` has a flag with this name for its rules.
    jq: Object.hasOwn(command.flags, 'jq') ? undefined : flags.jq,
    is_quiet: flags.quiet,
    writeOut: system.writeOut,
    writeError: system.writeError,
  })
  const org = flags.org ?? ''
  const report = makeReport({ ci, env: system.env, writeError: writeCommand })
  const spool_root = system.env.WAYBILL_SPOOL_DIR || getSpoolRoot(system.env)
  const receipts_file = resolve(system.cwd, flags.receipts ?? join(dirname(spool_root), 'receipts.jsonl'))
  const connection = connect(flags, { host, org, ci, system, report, receipts_file, say: output.say })
  const { api, key_request, getToken, getJobKey } = connection
  const { exchange, timeout_ms } = key_request
  if (command.needs === 'org' && org === '')
    failUsage('--org is missing: the organization', 'Give the flag, or set WAYBILL_ORG.')
  return {
    system,
    host,
    org,
    api,
    exchange,
    ci,
    key_request,
    output,
    report,
    is_dry_run: flags['dry-run'] || flags['api-token'] === DRY_RUN_KEY,
    assumes_yes: flags['assume-yes'] || flags.yes,
    spool_root,
    receipts_file,
    spool_mode: flags.spool,
    timeout_ms,
    signal: system.signal,
    getToken,
    getJobKey,
    origins: resolution.origins,
    sources,
    loadCommands: catalogue.loadAll,
    record: async write => {
      const { record, sendDirectly } = await import('../spool/record.ts')
      const whole = { ...write, org, command: command.words.join(' ') }
      const parts = {
        root: spool_root,
        host,
        api,
        timeout_ms,
        run: ci?.run === undefined ? undefined : buildRun(ci, ci.run.value),
        now_ms: system.now_ms,
        random_hex: system.random_hex,
        say: output.say,
      }
      return flags.spool === 'off' ? sendDirectly(whole, parts) : record(whole, parts)
    },
  }
}

interface Ends {
  host: string
  org: string
  ci: CiJob | undefined
  system: System
  report: Report
  receipts_file: string
  say(text: string): void
}

/**
 * The service, with the key that the user gave, that `waybill login` stored, or that the job's identity was
 * exchanged for.
 */
function connect(flags: ValuesOf<typeof GLOBAL_FLAGS>, ends: Ends) {
  const { host, org, ci, system, report, say } = ends
  const parts = {
    host,
    exchange: makeExchange(system.env),
    user_agent: `waybill/${system.version}`,
    timeout_ms: flags.timeout * 1000,
    max_retries: flags['max-api-retries'],
    now_ms: system.now_ms,
    debug: flags.debug ? say : () => undefined,
  }
  const key_request = {
    ...parts,
    env: system.env,
    ci,
    org,
    file: flags['id-token-file'],
    audience: flags.audience,
    keys: openKeyStore(getKeyFolder(ci, system.env), system.now_ms),
    mask: report.mask,
    api: makeApi({ ...parts, getToken: async () => undefined }),
  }
  const getJobKey = makeJobKey(key_request, system.now_ms)
  const getToken = async () => findToken(flags, host, system.env) ?? (await getJobKey?.())?.key
  const receipts = flags['no-receipts'] ? undefined : openReceipts(ends, () => api)
  const api: Api = makeApi({ ...parts, getToken, receipts })
  return { api, key_request, getToken, getJobKey }
}

function openReceipts({ host, ci, system, report, receipts_file, say }: Ends, getApi: () => Api): Receipts {
  return makeReceipts({
    file: receipts_file,
    host,
    getApi,
    now_ms: system.now_ms,
    say,
    warn: ci === undefined ? say : text => report.annotate('warning', text),
  })
}

function buildRun({ system, step, attempt }: CiJob, run: string) {
  return { id: `${system.id}:${run}:${step?.value ?? ''}`, attempt: attempt?.value ?? '' }
}

/** Another client accepts several hosts. Not supported here: it would record writes twice. */
function readHost(value: string, from: string): string {
  const [first = ''] = value.split(',')
  let url: URL
  try {
    url = new URL(first)
  } catch {
    failUsage(`${from}: "${first}" is not an address`, 'It begins with https://')
  }
  if (!isConfidential(url))
    failUsage(
      `${from}: ${first} does not begin with https://`,
      'Everybody on the way could read the API key. Only this machine itself may be reached with http.',
    )
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    failUsage(`${from}: the address may not hold a user, a query or a fragment`)
  return url.href.replace(/\/+$/, '')
}

function findToken(flags: ValuesOf<typeof GLOBAL_FLAGS>, host: string, env: Environment): string | undefined {
  const given = flags['api-token']?.split(',', 1)[0]
  if (given !== undefined) return given
  const file = flags['api-token-file']
  if (file === undefined) return readStoredToken(env, host)
  try {
    const token = readFileSync(file, 'utf8').trim()
    if (token === '') failUsage(`--api-token-file: ${file} is empty`)
    return token
  } catch (error) {
    failUsage(`--api-token-file: ${error instanceof Error ? error.message : error}`)
  }
}

function getSpoolRoot(env: Environment): string {
  const base = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state')
  return join(base, 'waybill', 'spool')
}
