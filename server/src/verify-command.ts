// The commands for auditors, `waybill log fetch` and `waybill verify`. They need no database and no settings: an auditor has
// the address of a log, an API key, and the public key that the log is trusted by.
import { getHost, makeEgress } from '@waybill/egress'
import { LogProblem, type Policy, parsePolicy, parseVerifierKey } from '@waybill/transparency-log'
import type { Command } from 'commander'
import { COVERAGE } from './events/coverage.ts'
import { describeRecord } from './events/describe-record.ts'
import type { EventKind } from './events/kinds.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { parseUrl } from './lib/url.ts'
import {
  type Claim,
  claimAll,
  claimAttestations,
  claimSnapshots,
  parseClaims,
  parsePeriod,
  parseSubject,
  parseTime,
} from './verifier/claims.ts'
import { escapeText, printSafeJson } from './verifier/escape.ts'
import { FetchProblem, fetchLog } from './verifier/fetch.ts'
import { openLogFolder, readKeptFile, Unreadable } from './verifier/log-files.ts'
import { printPackage, verifyPackage } from './verifier/package.ts'
import { EXIT_CODES, printVerification, toJson } from './verifier/print.ts'
import { verifyLog } from './verifier/verify.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1', '[::1]'])
/** No answer of a log is larger. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024
const ATTEMPTS = 8
const MAX_WAIT_S = 60
const BUSY = new Set([429, 503])
/** 410: the body of a leaf was erased. */
const MISSING = new Set([404, 410])

export interface VerifyCommandParts {
  env: NodeJS.ProcessEnv
  version: string
  print(text: string): void
  setExitCode(code: number): void
}

export function addVerifyCommands(program: Command, parts: VerifyCommandParts): void {
  const log = program.command('log').description('download the log of an organization, to verify it')
  log
    .command('fetch')
    .argument('<url>', 'the address of the log: https://<host>/api/v2/log/<organization>')
    .argument('<folder>', 'where to put it; what is there already is not downloaded again')
    .option('--without-bodies', 'only leaves and tiles, and the bodies that every verification needs')
    .description(
      'download a log; WAYBILL_API_TOKEN has the API key of a reader, unless everybody may read it',
    )
    .action((url: string, folder: string, options: { withoutBodies?: boolean }) =>
      runFetch(url, folder, options, parts),
    )
  program
    .command('verify')
    .argument('<log>', 'a folder that was downloaded with `log fetch`, or an audit package (.tgz)')
    .option(
      '--vkey <key>',
      'the public key of the log, from somebody you trust; can be repeated',
      collect,
      [],
    )
    .option('--policy <file>', 'a policy of C2SP tlog-policy: logs, witnesses and a quorum')
    .option('--seen <file>', 'a checkpoint that you have kept; can be repeated', collect, [])
    .option('--newer-than <time>', 'something in the log must be newer than this')
    .option('--artifact <fingerprint>', 'list all attestations of an artifact')
    .option('--environment <id>', 'list all snapshots of an environment')
    .option('--about <type=id>', 'list everything about a subject; can be repeated', collect, [])
    .option('--from <time>', 'list only what was recorded from then on')
    .option('--to <time>', 'list only what was recorded before then')
    .option('--claims <file>', 'compare claims of somebody else with the log')
    .option('--without-bodies', 'accept that bodies are missing')
    .option('--json', 'print JSON')
    .description(
      'verify a downloaded log or an audit package: exit code 0 if all is shown, 1 if something is false, 2 if it cannot be judged',
    )
    .action((folder: string, options: VerifyOptions) => runVerify(folder, options, parts))
}

const PACKAGE_ENDING = '.tgz'

/** A package answers one question only, so that nobody takes silence for an answer. */
function refuseQuestions({ vkey, policy, json, withoutBodies, seen, about, ...others }: VerifyOptions): void {
  const given = Object.values(others).some(value => value !== undefined)
  if (given || withoutBodies || seen.length + about.length > 0)
    throw new Unreadable('With an audit package, only --vkey, --policy and --json can be used')
}

const collect = (value: string, before: string[]): string[] => [...before, value]

interface VerifyOptions {
  vkey: string[]
  policy?: string
  seen: string[]
  newerThan?: string
  artifact?: string
  environment?: string
  about: string[]
  from?: string
  to?: string
  claims?: string
  withoutBodies?: boolean
  json?: boolean
}

async function runVerify(folder: string, options: VerifyOptions, { print, setExitCode }: VerifyCommandParts) {
  try {
    if (folder.endsWith(PACKAGE_ENDING)) {
      refuseQuestions(options)
      const verification = await verifyPackage(folder, {
        policy: await readPolicy(options),
        describe: describeRecord,
      })
      print(options.json ? printSafeJson(verification) : printPackage(verification))
      return setExitCode(EXIT_CODES[verification.verdict])
    }
    const seen = new Map<string, string>()
    for (const path of options.seen) seen.set(path, await readKeptFile(path))
    const verification = await verifyLog({
      files: openLogFolder(folder),
      policy: await readPolicy(options),
      seen,
      newer_than_ms: options.newerThan === undefined ? undefined : parseTime(options.newerThan),
      claims: await listClaims(options),
      with_bodies: !options.withoutBodies,
      findTypes: kind => COVERAGE[kind as EventKind]?.about,
    })
    print(options.json ? printSafeJson(toJson(verification)) : printVerification(verification))
    setExitCode(EXIT_CODES[verification.verdict])
  } catch (error) {
    if (!(error instanceof Unreadable || error instanceof LogProblem)) throw error
    const { message } = error
    print(
      options.json
        ? printSafeJson({ verdict: 'unknown', message })
        : escapeText(`It cannot be judged: ${message}`),
    )
    setExitCode(EXIT_CODES.unknown)
  }
}

async function readPolicy({ vkey, policy }: VerifyOptions): Promise<Policy> {
  if (policy !== undefined && vkey.length === 0) return parsePolicy(await readKeptFile(policy))
  if (vkey.length === 0 || policy !== undefined)
    throw new Unreadable('Name the key that you trust, with either --vkey or --policy')
  const logs = vkey.map(text => ({ key: parseVerifierKey(text), url: undefined }))
  return { logs, witnesses: [], groups: [], quorum: 'none' }
}

async function listClaims(options: VerifyOptions): Promise<Claim[]> {
  const { artifact, environment, about, from, to, claims } = options
  const period = parsePeriod(from, to)
  return [
    ...(artifact === undefined ? [] : [claimAttestations(artifact, { period })]),
    ...(environment === undefined ? [] : [claimSnapshots(environment, period)]),
    ...about.map(subject => claimAll(parseSubject(subject), { period })),
    ...(claims === undefined ? [] : parseClaims(await readKeptFile(claims))),
  ]
}

async function runFetch(
  address: string,
  folder: string,
  { withoutBodies = false }: { withoutBodies?: boolean },
  { env, version, print, setExitCode }: VerifyCommandParts,
) {
  try {
    // The second name is the older one.
    const key = env.WAYBILL_API_TOKEN || env.WAYBILL_API_KEY
    const get = makeGet(address, key, { version, dns_server: env.WAYBILL_DNS_SERVER })
    const { origin, size, files, bodies, vkeys } = await fetchLog({
      get,
      folder,
      with_bodies: !withoutBodies,
    })
    print(`Log ${origin}: ${size} leaves. Downloaded ${files} tiles and ${bodies} bodies.`)
    print('The server says that its keys are these. Compare them with what somebody else tells you:')
    for (const vkey of vkeys) print(`  ${vkey}`)
    print(`Then run: waybill verify ${folder} --vkey <key>`)
  } catch (error) {
    const isExpected = [FetchProblem, LogProblem, Unreadable].some(kind => error instanceof kind)
    if (!(error instanceof Error) || !isExpected) throw error
    print(error.message)
    setExitCode(1)
  }
}

function makeGet(
  address: string,
  key: string | undefined,
  {
    version,
    dns_server,
    clock = systemClock,
  }: { version: string; dns_server: string | undefined; clock?: Clock },
) {
  const url = parseUrl(address)
  if (!url) throw new FetchProblem(`'${address}' is not the address of a log`)
  if (url.protocol !== 'https:' && !LOOPBACK.has(url.hostname))
    throw new FetchProblem('Everybody on the way could read the API key: the address must begin with https')
  const egress = makeEgress({
    allow: [],
    dns_server,
    operator_hosts: [getHost(url)],
    user_agent: `waybill/${version}`,
    clock,
  })
  const base = url.href.replace(/\/*$/, '/')
  return async (path: string): Promise<Buffer | undefined> => {
    for (let attempt = 1; ; attempt++) {
      const response = await egress
        .fetch(`${base}${path}`, { headers: key ? { authorization: `Bearer ${key}` } : {} })
        .catch(explainFailure)
      const bytes = await readAnswer(response, path)
      if (response.status === 200) return bytes
      if (MISSING.has(response.status)) return undefined
      if (!BUSY.has(response.status) || attempt === ATTEMPTS)
        throw new FetchProblem(
          `The server answers ${response.status} for ${path}: ${bytes.toString('utf8').slice(0, 300)}`,
        )
      await wait(Number(response.headers.get('retry-after') ?? 1))
    }
  }
}

const explainFailure = (error: unknown): never => {
  throw new FetchProblem(`The server could not be reached: ${error instanceof Error ? error.message : error}`)
}

async function readAnswer(response: Response, path: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_ANSWER_BYTES)
      throw new FetchProblem(`The answer for ${path} is larger than any of a log`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const wait = (seconds: number) =>
  new Promise<void>(resolve => {
    setTimeout(resolve, Math.min(Number.isFinite(seconds) ? seconds : 1, MAX_WAIT_S) * 1_000)
  })
