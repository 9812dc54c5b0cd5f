// From a CI job without a stored key to a recorded trail, against a real service and an issuer on this machine.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CiIssuer, signToken, startIssuer } from '../../server/test/ci-issuer.ts'
import { BASE_URL, startTestApp, type TestApp } from '../../server/test/harness.ts'
import { CI_JOBS, NOT_OF_GITHUB } from './ci-jobs.ts'
import { runOnce } from './run-cli.ts'

const AUDIENCE = `${BASE_URL}/acme`
const ACCOUNT = 'system:serviceaccount:waybill:reporter'

let app: TestApp
let issuer: CiIssuer
let host: string
/** Issues tokens as GitHub does. */
let tokens: Server
let tokens_url: string
let given = 0
let folder: string

beforeAll(async () => {
  issuer = await startIssuer()
  app = await startTestApp({ settings: { WAYBILL_CI_ISSUERS: issuer.url } })
  host = await app.server.listen({ host: '127.0.0.1', port: 0 })
  tokens = createServer(async (request, response) => {
    given += 1
    const aud = new URL(request.url ?? '', 'http://localhost').searchParams.get('audience')
    response.end(JSON.stringify({ value: await signToken(app, issuer, { aud }) }))
  })
  await new Promise<void>(resolve => tokens.listen(0, '127.0.0.1', resolve))
  tokens_url = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}`
  await app.member.put('/flows/acme', { name: 'backend', description: '' })
})
afterAll(async () => {
  tokens.close()
  await app.stop()
  await issuer.stop()
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-keyless-'))
  given = 0
  return () => rmSync(folder, { recursive: true, force: true })
})

interface Options {
  env?: Record<string, string>
  input?: string
  now_ms?: () => number
}

async function run(argv: readonly string[], { env = {}, input = '', now_ms }: Options = {}) {
  return runOnce(argv, {
    cwd: folder,
    env: { HOME: folder, TMPDIR: folder, WAYBILL_HOST: host, WAYBILL_ORG: 'acme', ...env },
    input,
    signal: new AbortController().signal,
    onError: () => undefined,
    now_ms: now_ms ?? (() => app.clock.now().getTime()),
  })
}

const buildGithub = () => ({
  ...CI_JOBS.find(({ system }) => system === 'github')?.env,
  ACTIONS_ID_TOKEN_REQUEST_URL: `${tokens_url}/?v=1`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x',
  GITHUB_ENV: join(folder, 'env'),
  RUNNER_TEMP: folder,
  WAYBILL_AUDIENCE: AUDIENCE,
})
const createRule = async (rule: string, name: string) => {
  const made = await app.admin.post('/trust-rules/acme', { ...JSON.parse(rule), name })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
}

describe('a job of GitHub Actions', () => {
  it('prints the rule that it needs, and records without a key after an admin creates it', async () => {
    const env = buildGithub()
    const refused = await run(['list', 'flows'], { env })
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toContain('waybill ci keyless-rule')
    const { stdout, code } = await run(['ci', 'keyless-rule', '--name', 'backend-main'], { env })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      name: 'backend-main',
      issuer: issuer.url,
      issuer_kind: 'github',
      audience: AUDIENCE,
      claims: { repository_id: '74' },
      privilege: 'member',
    })
    await createRule(stdout, 'backend-main')
    given = 0
    expect(await run(['list', 'flows', '--quiet'], { env })).toMatchObject({ code: 0, stdout: 'backend\n' })
    expect(given).toBe(1)
  })

  it('signs in once for later steps; only the job can read the file with the key', async () => {
    const env = buildGithub()
    const { code, stdout, stderr } = await run(['login', '--ci'], { env })
    expect(code, stderr).toBe(0)
    const path = stdout.trim()
    const key = readFileSync(path, 'utf8')
    expect(key).toMatch(/^wb_ci_/)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(stderr).toMatch(new RegExp(`^::add-mask::${key}\n`))
    expect(stderr.replace(`::add-mask::${key}`, '')).not.toContain(key)
    const exported = readFileSync(env.GITHUB_ENV, 'utf8')
    expect(exported).toBe(`WAYBILL_API_TOKEN_FILE=${path}\n`)
    given = 0
    const next = await run(['list', 'flows'], { env: { ...env, WAYBILL_API_TOKEN_FILE: path } })
    expect([next.code, given]).toEqual([0, 0])
  })

  it('learns who it is, by which rule and until when', async () => {
    const env = buildGithub()
    const { code, stdout, stderr } = await run(['whoami'], { env })
    expect(code, stderr).toBe(0)
    expect(given).toBe(1)
    expect(stdout).toMatch(/^Key from: +the identity token of this job \(ACTIONS_ID_TOKEN_REQUEST_URL\)$/m)
    expect(stdout).toMatch(/^Trust rule: +backend-main$/m)
    expect(stdout).toMatch(/^Valid until: +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/m)
    expect(stdout).toMatch(/^acme +keyless CI/m)
    const json = JSON.parse((await run(['whoami', '--output', 'json'], { env })).stdout)
    expect(json).toMatchObject({ name: 'acme', trust_rule: 'backend-main' })
    const path = (await run(['login', '--ci'], { env })).stdout.trim()
    const later = await run(['whoami'], { env: { ...env, WAYBILL_API_TOKEN_FILE: path } })
    expect(later.stdout).toMatch(/^Key from: +the file /m)
    expect(later.stdout).toMatch(/^acme +keyless CI/m)
    expect((await run(['doctor'], { env })).stdout).toContain('the identity token of this job')
  })

  it('shows its facts, and where they come from', async () => {
    const { stdout, code } = await run(['ci', '--output', 'json'], { env: buildGithub() })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      system: 'github',
      facts: { repository_id: { value: '74', from: 'GITHUB_REPOSITORY_ID' }, run: { from: 'GITHUB_RUN_ID' } },
      token_source: 'ACTIONS_ID_TOKEN_REQUEST_URL',
    })
    const table = await run(['ci'], { env: buildGithub() })
    expect(table.stdout).toMatch(/^repository_id +74 +GITHUB_REPOSITORY_ID$/m)
    expect(table.stdout).toMatch(/^identity token +available +ACTIONS_ID_TOKEN_REQUEST_URL$/m)
    expect(given).toBe(0)
  })
})

describe('a pod', () => {
  const buildPod = async () => {
    const file = join(folder, 'token')
    const write = async () =>
      writeFileSync(file, await signToken(app, issuer, { ...NOT_OF_GITHUB, sub: ACCOUNT }))
    await write()
    return { write, env: { WAYBILL_ID_TOKEN_FILE: file, WAYBILL_AUDIENCE: AUDIENCE } }
  }
  const keys = () => join(folder, '.local', 'state', 'waybill', 'job-keys')

  it('keeps the key for its only token, for its next commands and nobody else', async () => {
    const { env, write } = await buildPod()
    const { stdout } = await run(['ci', 'keyless-rule'], { env })
    expect(JSON.parse(stdout)).toMatchObject({ issuer_kind: 'kubernetes', claims: { sub: ACCOUNT } })
    await createRule(stdout, 'cluster')
    for (let command = 1; command <= 3; command++)
      expect((await run(['list', 'flows'], { env })).code).toBe(0)
    const [file = '', ...others] = readdirSync(keys())
    expect(others).toEqual([])
    expect(statSync(keys()).mode & 0o777).toBe(0o700)
    expect(statSync(join(keys(), file)).mode & 0o777).toBe(0o600)
    // The key belongs to one service and one organization.
    expect((await run(['list', 'flows'], { env: { ...env, WAYBILL_ORG: 'globex' } })).code).toBe(5)
    // After it expires, the token cannot get another one, and the next token replaces the file.
    app.clock.advance(16 * 60_000)
    const again = await run(['list', 'flows'], { env })
    expect(again.code).toBe(5)
    expect(again.stderr).toContain('this job has only one')
    await write()
    expect((await run(['list', 'flows'], { env })).code).toBe(0)
    expect(readdirSync(keys())).not.toContain(file)
  })

  it('gets a key even where nothing can be written', async () => {
    const { env } = await buildPod()
    writeFileSync(join(folder, '.local'), 'a file where the folder should be')
    expect((await run(['list', 'flows'], { env })).code).toBe(0)
    expect((await run(['list', 'flows'], { env })).code).toBe(5)
  })
})

describe('a person', () => {
  const stored = () => join(folder, '.config', 'waybill', 'credentials.json')

  it('signs in with a key on standard input, and out again', async () => {
    const key = app.member.key ?? ''
    const { code, stdout, stderr } = await run(['login'], { input: `${key}\n` })
    expect(code, stderr).toBe(0)
    expect(stdout + stderr).not.toContain(key)
    expect(statSync(stored()).mode & 0o777).toBe(0o600)
    expect((await run(['list', 'flows', '-q'])).stdout).toBe('backend\n')
    expect((await run(['logout'])).stdout).toBe(`Forgot the key for ${host}\n`)
    expect((await run(['list', 'flows'])).code).toBe(5)
    expect((await run(['logout'])).stdout).toBe(`There was no key for ${host}\n`)
  })

  it.each([
    ['nothing', '', 2],
    ['two lines', 'a\nb', 2],
    ['very much', 'x'.repeat(5000), 2],
    ['a key that the service does not know', 'wb_pat_0123456789ab_secret', 5],
  ])('stores no key that is %s', async (_what, input, code) => {
    expect((await run(['login'], { input })).code).toBe(code)
    expect(existsSync(stored())).toBe(false)
  })
})

describe('outside of CI', () => {
  it('there is nothing to show and nothing to exchange', async () => {
    expect((await run(['ci'])).code).toBe(6)
    expect((await run(['login', '--ci'])).code).toBe(5)
    expect((await run(['ci', 'keyless-rule'])).code).toBe(5)
  })

  it('a job needs an organization', async () => {
    const { code, stderr } = await run(['login', '--ci'], { env: { ...buildGithub(), WAYBILL_ORG: '' } })
    expect([code, stderr]).toEqual([2, expect.stringContaining('--org is missing')])
  })
})
