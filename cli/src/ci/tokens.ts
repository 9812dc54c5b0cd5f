// Gets the identity token of the job, which the service exchanges for a key. A token is as good as a key
// until it is used, so the program sends it only to the service, and never over plain http.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isConfidential } from '../http/confidential.ts'
import { ConnectionProblem, type Exchange, readBody } from '../http/exchange.ts'
import { failUsage, Problem } from '../program/problem.ts'
import type { CiJob } from './detect.ts'
import type { Environment, TokenSource } from './systems.ts'

/** Set by the user, in any CI system. */
const OWN_VARIABLE = 'WAYBILL_ID_TOKEN'
const LONGEST_TOKEN = 16_384
const LARGEST_ANSWER_BYTES = 65_536

export interface TokenPlace {
  env: Environment
  ci: CiJob | undefined
  /** The value of `--id-token-file`. */
  file: string | undefined
}

export interface TokenRequest extends TokenPlace {
  audience: string
  exchange: Exchange
  timeout_ms: number
}

export interface IdToken {
  token: string
  from: string
  /** The job cannot get another token, and the service accepts each one once. */
  is_only_one: boolean
}

/** Describes for people where the job's token comes from; undefined if there is none. */
export function describeTokenSource({ env, ci, file }: TokenPlace): string | undefined {
  if (file !== undefined) return `the file ${file}`
  if (isSet(env[OWN_VARIABLE])) return OWN_VARIABLE
  const source = ci?.system.token
  if (source === undefined) return undefined
  switch (source.kind) {
    case 'github':
      return isSet(env[source.url]) && isSet(env[source.bearer]) ? source.url : undefined
    case 'azure':
      return findMissing(source, env).length === 0 ? source.url : undefined
    case 'variables':
      return source.names.find(name => isSet(env[name]))
    case 'command':
      return `${source.program} ${source.args.slice(0, 2).join(' ')}`
  }
}

export async function getIdToken(request: TokenRequest): Promise<IdToken> {
  const from = describeTokenSource(request)
  if (from === undefined) failWithoutToken(request)
  const { env, file, ci } = request
  const own = env[OWN_VARIABLE]
  if (file !== undefined) return { token: checkToken(readToken(file), from), from, is_only_one: true }
  if (isSet(own)) return { token: checkToken(own, from), from, is_only_one: true }
  const source = ci?.system.token
  if (source?.kind === 'variables')
    return { token: checkToken(env[from] ?? '', from), from, is_only_one: true }
  const token = source === undefined ? '' : await requestToken(source, request)
  return { token: checkToken(token, from), from, is_only_one: false }
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== ''

function failWithoutToken({ ci }: TokenPlace): never {
  throw new Problem('This job has no identity token', {
    exit: 'not_allowed',
    hint:
      ci?.system.token_hint ??
      'Give --id-token-file, for example a projected service-account token below /var/run/secrets.',
  })
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    failUsage(`--id-token-file: ${error instanceof Error ? error.message : error}`)
  }
}

/** Three parts of base64url. The value itself is never shown. */
function checkToken(token: string, from: string): string {
  if (token.length <= LONGEST_TOKEN && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return token
  failUsage(`${from} does not hold a signed token`, 'It has three parts with dots between them.')
}

async function requestToken(source: TokenSource, request: TokenRequest): Promise<string> {
  switch (source.kind) {
    case 'github':
      return requestFromGithub(source, request)
    case 'azure':
      return requestFromAzure(source, request)
    case 'command':
      return runProgram(source, request)
    case 'variables':
      return ''
  }
}

async function requestFromGithub(
  { url, bearer }: Extract<TokenSource, { kind: 'github' }>,
  request: TokenRequest,
): Promise<string> {
  const address = readAddress(url, request.env)
  address.searchParams.set('audience', request.audience)
  const answer = await send('GET', address, request.env[bearer] ?? '', request)
  return String(answer.value ?? '')
}

async function requestFromAzure(
  source: Extract<TokenSource, { kind: 'azure' }>,
  request: TokenRequest,
): Promise<string> {
  const address = readAddress(source.url, request.env)
  const connection = source.connections.map(name => request.env[name]).find(isSet) ?? ''
  address.searchParams.set('api-version', '7.1')
  address.searchParams.set('serviceConnectionId', connection)
  const answer = await send('POST', address, request.env[source.bearer] ?? '', request)
  return String(answer.oidcToken ?? '')
}

function findMissing(
  { url, bearer, connections }: Extract<TokenSource, { kind: 'azure' }>,
  env: Environment,
): string[] {
  const missing = [url, bearer].filter(name => !isSet(env[name]))
  return connections.some(name => isSet(env[name])) ? missing : [...missing, ...connections.slice(0, 1)]
}

function readAddress(variable: string, env: Environment): URL {
  let url: URL
  try {
    url = new URL(env[variable] ?? '')
  } catch {
    failUsage(`${variable} is not an address`)
  }
  if (isConfidential(url)) return url
  failUsage(`${variable} does not begin with https://`, 'Everybody on the way could read the token.')
}

async function send(
  method: 'GET' | 'POST',
  url: URL,
  bearer: string,
  { exchange, timeout_ms }: TokenRequest,
): Promise<Record<string, unknown>> {
  try {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${bearer}`,
      ...(method === 'POST' ? { 'content-type': 'application/json', 'content-length': '0' } : {}),
    }
    const incoming = await exchange({ method, url, headers, timeout_ms })
    const bytes = await readBody(incoming, LARGEST_ANSWER_BYTES)
    if (incoming.status !== 200) throw new ConnectionProblem(`${url.host}: answered ${incoming.status}`)
    return readObject(bytes, url)
  } catch (error) {
    if (!(error instanceof ConnectionProblem)) throw error
    throw new Problem(`The CI system gives no identity token: ${error.message}`, { exit: 'unreachable' })
  }
}

function readObject(bytes: Buffer, url: URL): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>
  } catch {
    // Whatever the file contains, it is not a token.
  }
  throw new ConnectionProblem(`${url.host}: did not answer with JSON`)
}

/** Runs without a shell. Its output is the token, so a failure does not show the output either. */
function runProgram(
  { program, args }: Extract<TokenSource, { kind: 'command' }>,
  { audience, env, timeout_ms }: TokenRequest,
): Promise<string> {
  const filled = args.map(arg => (arg === '{audience}' ? audience : arg))
  const options = { timeout: timeout_ms, maxBuffer: LARGEST_ANSWER_BYTES, env: { ...env } }
  return new Promise((resolve, reject) => {
    execFile(program, filled, options, (error, stdout) => {
      if (error === null) return resolve(stdout.trim())
      const reason =
        error.code === 'ENOENT' ? 'is not installed' : `failed with ${error.code ?? error.signal}`
      reject(new Problem(`The program ${program} ${reason}`, { exit: 'unreachable' }))
    })
  })
}
