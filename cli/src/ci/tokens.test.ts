import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CI_JOBS } from '../../test/ci-jobs.ts'
import { makeExchange } from '../http/exchange.ts'
import { Problem } from '../program/problem.ts'
import { detectCi } from './detect.ts'
import type { Environment } from './systems.ts'
import { describeTokenSource, getIdToken } from './tokens.ts'

const TOKEN = 'aGVhZA.Ym9keQ.c2ln'
const AUDIENCE = 'https://waybill.example/acme?a=b&c'

let folder: string
let server: Server
let url: string
let requests: { method: string | undefined; url: string; authorization: string | undefined }[]
let answer: { status: number; body: string }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-tokens-'))
  server = createServer((request: IncomingMessage, response) => {
    requests.push({
      method: request.method,
      url: request.url ?? '',
      authorization: request.headers.authorization,
    })
    response.writeHead(answer.status, { location: '/elsewhere' })
    response.end(answer.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  requests = []
  answer = { status: 200, body: '' }
})

function getFrom(system: string | undefined, env: Environment, file?: string) {
  const all = { ...CI_JOBS.find(job => job.system === system)?.env, ...env }
  const ci = detectCi(all, () => undefined)
  const exchange = makeExchange({})
  const place = { env: all, ci, file, audience: AUDIENCE, exchange, timeout_ms: 600_000 }
  return { place, get: () => getIdToken(place) }
}

const GITHUB = () => ({
  ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2.0`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'bearer-of-the-job',
})
const AZURE = () => ({
  SYSTEM_OIDCREQUESTURI: `${url}/oidctoken`,
  SYSTEM_ACCESSTOKEN: 'bearer-of-the-job',
  WAYBILL_AZURE_SERVICE_CONNECTION_ID: 'connection-1',
})

/** A fake agent, which prints its arguments as a token, or fails. */
function installAgent(script: string): string {
  const bin = mkdtempSync(join(folder, 'bin-'))
  writeFileSync(join(bin, 'buildkite-agent'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, 'buildkite-agent'), 0o755)
  return `${bin}:${process.env.PATH}`
}

describe('the token of a job', () => {
  it('of GitHub Actions is requested for the audience', async () => {
    answer.body = JSON.stringify({ value: TOKEN })
    const { get } = getFrom('github', GITHUB())
    expect(await get()).toEqual({ token: TOKEN, from: 'ACTIONS_ID_TOKEN_REQUEST_URL', is_only_one: false })
    const [request] = requests
    expect(request).toMatchObject({ method: 'GET', authorization: 'Bearer bearer-of-the-job' })
    const sent = new URL(request?.url ?? '', url).searchParams
    expect(Object.fromEntries(sent)).toEqual({ 'api-version': '2.0', audience: AUDIENCE })
  })

  it('of Azure Pipelines is requested for the service connection', async () => {
    answer.body = JSON.stringify({ oidcToken: TOKEN })
    const { get } = getFrom('azure', AZURE())
    expect(await get()).toMatchObject({ token: TOKEN, is_only_one: false })
    expect(requests).toEqual([
      {
        method: 'POST',
        url: '/oidctoken?api-version=7.1&serviceConnectionId=connection-1',
        authorization: 'Bearer bearer-of-the-job',
      },
    ])
  })

  it('of Buildkite is printed by its agent, with the claim that pins the pipeline', async () => {
    const path = installAgent(`echo "$1 $2 $3 $4 $5 $6" > "${folder}/args"; echo ${TOKEN}`)
    const { get } = getFrom('buildkite', { PATH: path })
    expect(await get()).toMatchObject({ token: TOKEN, from: 'buildkite-agent oidc request-token' })
    expect(readFileSync(join(folder, 'args'), 'utf8').trim()).toBe(
      `oidc request-token --audience ${AUDIENCE} --claim pipeline_id`,
    )
  })

  it.each([
    ['gitlab', 'WAYBILL_ID_TOKEN'],
    ['jenkins', 'WAYBILL_ID_TOKEN'],
    ['circleci', 'CIRCLE_OIDC_TOKEN_V2'],
    ['bitbucket', 'BITBUCKET_STEP_OIDC_TOKEN'],
    ['github', 'WAYBILL_ID_TOKEN'],
  ])('of %s is in the variable %s', async (system, variable) => {
    const { get } = getFrom(system, { [variable]: TOKEN })
    expect(await get()).toEqual({ token: TOKEN, from: variable, is_only_one: true })
  })

  it.each(['jenkins', undefined])('can be in a file for %s, and the file takes precedence', async system => {
    const file = join(folder, 'token')
    writeFileSync(file, `${TOKEN}\n`)
    const { get } = getFrom(system, { WAYBILL_ID_TOKEN: 'x.y.z' }, file)
    expect(await get()).toEqual({ token: TOKEN, from: `the file ${file}`, is_only_one: true })
  })
})

describe('no token', () => {
  const refuse = async (get: () => Promise<unknown>) => {
    const error = await get().then(
      () => undefined,
      problem => problem,
    )
    expect(error).toBeInstanceOf(Problem)
    const { message, hint, exit } = error as Problem
    expect(`${message} ${hint}`).not.toMatch(/bearer-of-the-job|aGVhZA/)
    return { message, exit, hint }
  }

  it.each([
    ['github', /id-token: write/],
    ['gitlab', /id_tokens/],
    ['jenkins', /OpenID Connect Provider/],
    ['circleci', /CIRCLE_OIDC_TOKEN_V2/],
    ['azure', /SYSTEM_ACCESSTOKEN/],
    ['bitbucket', /oidc: true/],
    [undefined, /--id-token-file/],
  ])('in %s without one says how to get it', async (system, hint) => {
    const { get, place } = getFrom(system, {})
    expect(describeTokenSource(place)).toBeUndefined()
    expect(await refuse(get)).toMatchObject({ exit: 'not_allowed', hint: expect.stringMatching(hint) })
  })

  it.each(['http://ci.example/token', 'ftp://127.0.0.1/', 'not an address'])(
    'can be requested from %s',
    async address => {
      for (const [system, env] of [
        ['github', { ...GITHUB(), ACTIONS_ID_TOKEN_REQUEST_URL: address }],
        ['azure', { ...AZURE(), SYSTEM_OIDCREQUESTURI: address }],
      ] as const)
        expect((await refuse(getFrom(system, env).get)).exit).toBe('usage')
    },
  )

  it.each([
    ['an error', 500, '{}', 'unreachable'],
    ['a redirect', 302, JSON.stringify({ value: TOKEN }), 'unreachable'],
    ['no JSON', 200, TOKEN, 'unreachable'],
    ['JSON without one', 200, '{}', 'usage'],
    ['far too much', 200, 'x'.repeat(100_000), 'unreachable'],
    ['a text', 200, JSON.stringify({ value: 'a\nb' }), 'usage'],
  ])('from a CI system that answers with %s', async (_what, status, body, exit) => {
    answer = { status, body }
    expect((await refuse(getFrom('github', GITHUB()).get)).exit).toBe(exit)
    expect(requests).toHaveLength(1)
  })

  it('from an agent that is missing or fails, and its output is not shown', async () => {
    expect((await refuse(getFrom('buildkite', { PATH: folder }).get)).message).toMatch(/is not installed/)
    const path = installAgent(`echo ${TOKEN}; echo ${TOKEN} >&2; exit 3`)
    expect((await refuse(getFrom('buildkite', { PATH: path }).get)).message).toMatch(/failed with 3/)
  })

  it.each(['', 'a.b', 'a.b.c.d', 'a.b.c\u200b', `a.${'b'.repeat(16_384)}.c`, 'a b.c.d'])(
    'from a file with %j',
    async text => {
      const file = join(folder, 'bad-token')
      writeFileSync(file, text)
      expect((await refuse(getFrom(undefined, {}, file).get)).message).toMatch(/does not hold a signed token/)
    },
  )

  it('from a file that is not there', async () => {
    const { message } = await refuse(getFrom(undefined, {}, join(folder, 'none')).get)
    expect(message).toMatch(/^--id-token-file: ENOENT/)
  })
})
