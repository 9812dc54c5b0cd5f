// Runs every generated pipeline: its scripts, in the shell of its CI system, with a job's variables and
// tokens from an issuer on this machine, using the built program and a real service.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { type CiIssuer, signToken, startIssuer } from '../../server/test/ci-issuer.ts'
import { startTestApp, type TestApp } from '../../server/test/harness.ts'
import manifest from '../package.json' with { type: 'json' }
import { CI_SYSTEMS } from '../src/ci/systems.ts'
import {
  EVIDENCE,
  HOST,
  RECEIPTS_FILE,
  REPORT,
  SETUP,
  SPOOL_FILE,
  TEMPLATE_FILE,
} from '../src/pipelines/lines.ts'
import { buildPipelines } from '../src/pipelines/table.ts'
import { writePipelines } from '../src/pipelines/write.ts'
import { CI_JOBS, COMMIT, NOT_OF_GITHUB } from './ci-jobs.ts'
import { INTERPRETERS, type Job } from './pipelines/interpret.ts'
import { type Machine, makeMachine } from './pipelines/machine.ts'
import { type Plug, startPlug } from './pipelines/plug.ts'
import { makeCli } from './run-cli.ts'

const HOUR_MS = 3_600_000
const { version } = manifest
const UUID = '0184990a-477b-4fa8-9968-496074483cee'

/** What each system's tokens say about the job; a trust rule pins the first claim. */
const CLAIMS: Record<string, Record<string, string>> = {
  github: { repository_id: '74' },
  gitlab: { project_id: '22' },
  jenkins: { sub: 'https://jenkins.example/job/backend/' },
  circleci: { 'oidc.circleci.com/project-id': UUID },
  azure: { sub: 'sc://acme/Big Project/waybill' },
  bitbucket: { repositoryUuid: `{${UUID}}` },
  buildkite: { pipeline_id: UUID },
}

let app: TestApp
let issuer: CiIssuer
let tokens: Server
let tokens_url: string
let plug: Plug
/** The CI system whose tokens are issued. */
let system = ''
const machines: Machine[] = []

beforeAll(async () => {
  issuer = await startIssuer()
  app = await startTestApp({ settings: { WAYBILL_CI_ISSUERS: issuer.url } })
  plug = await startPlug(await app.server.listen({ host: '127.0.0.1', port: 0 }))
  tokens = createServer(async (request, response) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams
    const aud = query.get('audience') ?? 'api://AzureADTokenExchange'
    const token = await sign(aud)
    response.end(JSON.stringify({ value: token, oidcToken: token }))
  })
  await new Promise<void>(resolve => tokens.listen(0, '127.0.0.1', resolve))
  tokens_url = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}`
  await setUp()
  for (const [kind, claims] of Object.entries(CLAIMS)) {
    const audience = kind === 'azure' ? 'api://AzureADTokenExchange' : `${plug.url}/acme`
    const rule = { name: kind, issuer: issuer.url, issuer_kind: kind, audience, claims, privilege: 'member' }
    const made = await app.admin.post('/trust-rules/acme', rule)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
  }
})
afterAll(async () => {
  for (const { folder } of machines) rmSync(dirname(folder), { recursive: true, force: true })
  tokens.close()
  await plug.stop()
  await app.stop()
  await issuer.stop()
})

const makeMemberCli = () =>
  makeCli({ WAYBILL_HOST: plug.url, WAYBILL_ORG: 'acme', WAYBILL_API_TOKEN: app.member.key ?? '' }, () =>
    app.clock.now().getTime(),
  )

/** The setup that a member does once, as in the document. */
async function setUp(): Promise<void> {
  const cli = makeMemberCli()
  writeFileSync(join(cli.folder, TEMPLATE_FILE), readTemplate())
  for (const line of SETUP)
    expect(await cli.run(line.replace(/^waybill /, '')), line).toMatchObject({ code: 0 })
  cli.remove()
}

const readTemplate = () => readFileSync(join(root, 'deploy/ci', TEMPLATE_FILE), 'utf8')

const sign = (aud: string) => signToken(app, issuer, { ...NOT_OF_GITHUB, ...CLAIMS[system], aud })

/** The files of this repository, changed for the test's service. */
function readJob(id: string): Job {
  const files = [...writePipelines(version).keys()]
    .filter(path => path.startsWith('deploy/ci/'))
    .map(path => {
      const text = readFileSync(join(root, path), 'utf8').replaceAll(HOST, plug.url)
      return [path.slice('deploy/ci/'.length), text] as const
    })
  const read = INTERPRETERS[id]
  if (read === undefined) throw new Error(`nobody reads pipelines of ${id}`)
  return read(new Map(files))
}

/** A job in this system for a new commit. */
async function startMachine(
  id: string,
  what: string,
  job: Job,
): Promise<{ machine: Machine; fingerprint: string }> {
  system = id
  const content = `${id} ${what}`
  const commit = createHash('sha1').update(content).digest('hex')
  const example = CI_JOBS.find(each => each.system === id && each.event === 'push')
  const variables = Object.entries(example?.env ?? {}).map(([name, value]) => [
    name,
    value.replaceAll(COMMIT, commit),
  ])
  const given = await Promise.all(
    Object.entries(job.tokens).map(async ([name, aud]) => [name, await sign(aud)]),
  )
  const machine = makeMachine({
    env: {
      ...Object.fromEntries(variables),
      ...Object.fromEntries(given),
      ACTIONS_ID_TOKEN_REQUEST_URL: `${tokens_url}/?v=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x',
      SYSTEM_OIDCREQUESTURI: `${tokens_url}/`,
      // GitHub and others provide the event file only to jobs that have one.
      GITHUB_EVENT_PATH: '',
    },
    tokens_url,
    now_ms: app.clock.now().getTime(),
    content,
    version,
  })
  machines.push(machine)
  return { machine, fingerprint: createHash('sha256').update(content).digest('hex') }
}

beforeEach(() => plug.open())

const readVerdict = async (fingerprint: string) =>
  (await app.reader.get(`/asserts/acme/fingerprint/${fingerprint}?flow_name=app`)).body as {
    compliant?: boolean
  }

const isDeployed = ({ folder }: Machine) => existsSync(join(folder, 'deployed'))

describe.each(buildPipelines(version).map(pipeline => pipeline.system))('%s', id => {
  it('deploys tested software, and reports it', async () => {
    const job = readJob(id)
    const { machine, fingerprint } = await startMachine(id, 'whole', job)
    const { code, log } = await machine.run(job)
    expect(code, log).toBe(0)
    expect(await readVerdict(fingerprint)).toMatchObject({ compliant: true })
    expect(isDeployed(machine)).toBe(true)
    const { body } = await app.reader.get('/snapshots/acme/production/-1')
    expect(JSON.stringify(body)).toContain(fingerprint)
    expect(existsSync(join(machine.folder, SPOOL_FILE))).toBe(false)
    expect(isKept(job, log, RECEIPTS_FILE)).toBe(true)
    const later = makeMemberCli()
    const verified = await later.run(`verify receipts ${join(machine.folder, RECEIPTS_FILE)}`)
    later.remove()
    // The trail, the artifact, its tests, and what runs.
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining(': 4 receipts\n')])
    // The key is only where the CI system masks it.
    expect(log.replaceAll(/(::add-mask::|##vso\[task\.setsecret\])wb_ci_\S+/g, '')).not.toContain('wb_ci_')
  })

  it('deploys nothing without the evidence that the template requires', async () => {
    const job = leaveOut(readJob(id), 'waybill attest junit')
    const { machine, fingerprint } = await startMachine(id, 'untested', job)
    const { code, log } = await machine.run(job)
    expect(code, log).toBe(4)
    expect(log).toContain('unit-tests')
    expect(await readVerdict(fingerprint)).toMatchObject({ compliant: false })
    expect(isDeployed(machine)).toBe(false)
  })

  it('loses nothing and stops only the gate if the service goes down', async () => {
    const job = readJob(id)
    const { machine, fingerprint } = await startMachine(id, 'unplugged', job)
    plug.closeAfter('PUT /api/v2/trails/acme/app')
    const { code, log } = await machine.run(job)
    // Every line before the gate has passed, or the exit code would be another.
    expect(code, log).toBe(3)
    expect(log.match(/^Not delivered yet: /gm)).toHaveLength(2)
    expect(isDeployed(machine)).toBe(false)
    expect(isKept(job, log, SPOOL_FILE)).toBe(true)

    // An hour later, on a machine that has only the file that the CI system kept, and a key.
    app.clock.advance(HOUR_MS)
    await plug.open()
    expect((await readVerdict(fingerprint)).compliant).toBeUndefined()
    const later = makeMemberCli()
    const file = join(machine.folder, SPOOL_FILE)
    expect(await later.run(`spool import ${file}`)).toMatchObject({ code: 0, stdout: 'Added 2 writes\n' })
    const flushed = await later.run('spool flush')
    expect(flushed.stdout, flushed.stderr).toBe('Delivered 2, refused 0, left 0\n')
    expect(await later.run(`assert artifact --fingerprint ${fingerprint} --flow app`)).toMatchObject({
      code: 0,
    })
    expect(await readVerdict(fingerprint)).toMatchObject({ compliant: true })
    later.remove()
  })
})

/** A command tells Azure which file to keep; for the others it is in the pipeline. */
const isKept = (job: Job, log: string, file: string): boolean =>
  job.kept.includes(file) ||
  new RegExp(`##vso\\[artifact\\.upload artifactname=\\S+\\]/\\S+/${file}`).test(log)

const leaveOut = (job: Job, start: string): Job => ({
  ...job,
  steps: job.steps
    .map(step => ({
      ...step,
      script: step.script
        .split('\n')
        .filter(line => !line.startsWith(start))
        .join('\n'),
    }))
    .filter(({ script }) => script !== ''),
})

describe('the key of a job', () => {
  it('cannot change the requirements', async () => {
    const job = readJob('github')
    const { machine } = await startMachine('github', 'ambitious', job)
    writeFileSync(join(machine.folder, TEMPLATE_FILE), 'version: 1\n')
    const steps = job.steps.map(step =>
      step.script.startsWith(EVIDENCE[0] ?? '') ? { ...step, script: SETUP[0] ?? '' } : step,
    )
    expect(await machine.run({ ...job, steps })).toMatchObject({ code: 5 })
  })
})

describe('the generated files', () => {
  it('are fresh: run `npm run docs`', () => {
    for (const [path, text] of writePipelines(version))
      expect(readFileSync(join(root, path), 'utf8'), path).toBe(text)
  })

  it('exist for every CI system that the program knows', () => {
    expect(buildPipelines(version).map(each => each.system)).toEqual(CI_SYSTEMS.map(each => each.id))
  })

  it('take five lines, and contain no key', () => {
    expect([...EVIDENCE, REPORT]).toHaveLength(5)
    for (const [path, text] of writePipelines(version))
      expect(text, path).not.toMatch(/API_TOKEN|secrets\.|wb_/)
  })
})
