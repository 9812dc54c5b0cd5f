// The AWS reporters against recorded responses, and a real service that stores their reports.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../packages/testing/src/patience.ts'
import { type AwsApi, startAwsApi } from './aws-api.ts'
import type { Ran } from './run-cli.ts'
import { serveCli } from './served-cli.ts'

const served = serveCli({ role: 'member' }, async ({ app }) => {
  for (const [name, type] of [
    ['tasks', 'ECS'],
    ['functions', 'lambda'],
    ['site', 'S3'],
  ])
    await app.member.put('/environments/acme', { name, type, description: '' })
})
let aws: AwsApi
let env: Record<string, string>

beforeAll(async () => {
  aws = await startAwsApi()
  env = {
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
  }
})
afterAll(() => aws.stop())
beforeEach(() => {
  aws.asked = []
  aws.answer = () => undefined
  // Reports in the same second as the last one would be late.
  served.app.clock.advance(1_000)
})

const run = (line: string, more: Record<string, string> = {}) =>
  served.cli.run(line, { env: { ...env, ...more } })

async function listRunning(environment: string): Promise<string[]> {
  const { body } = await served.app.member.get(`/snapshots/acme/${environment}/-1`)
  const artifacts: { name: string; fingerprint: string; annotation: { now: number } }[] = body.artifacts ?? []
  const running = artifacts.filter(({ annotation }) => annotation.now > 0)
  return running
    .map(({ name, fingerprint, annotation }) => `${name} ${fingerprint.slice(0, 8)} ${annotation.now}`)
    .sort()
}

async function expectRunning(line: string, environment: string, expected: string[]): Promise<Ran> {
  const ran = await run(line)
  expect(ran, ran.stderr).toMatchObject({ code: 0 })
  expect(await listRunning(environment)).toEqual(expected)
  return ran
}

const WEB = 'registry.example.com/web:1 24a4c4b2 2'
const SIDE = `registry.example.com/side@sha256:${'b'.repeat(64)} bbbbbbbb 2`
const UNKNOWN = 'registry.example.com/local/tool:1  1'
const FUNCTIONS = ['checkout 30d35a23 1', 'image 0c6ef07b 1', 'refund 645d14e6 1']

describe('ECS', () => {
  it('is reported with every container of every task, also without a service or a digest', async () => {
    await expectRunning('snapshot ecs tasks', 'tasks', [UNKNOWN, SIDE, WEB])
    const { body } = await served.app.member.get('/snapshots/acme/tasks/-1')
    const web = body.artifacts.find(({ name }: { name: string }) => name.endsWith('web:1'))
    expect(web.container_task_context).toMatchObject({ cluster_name: 'main', service_name: 'web' })
  })

  it.each([
    ['--clusters batch', [UNKNOWN]],
    ['--clusters-regex ^ma', [SIDE, WEB]],
    ['--exclude batch', [SIDE, WEB]],
    ['--exclude-regex ^ma', [UNKNOWN]],
    ['--services web', [SIDE, WEB]],
    ['--services-regex nothing', []],
    ['--exclude-services web', []],
  ])('%s chooses', async (flags, expected) => {
    await expectRunning(`snapshot ecs tasks ${flags}`, 'tasks', expected)
  })

  it('does not combine clusters that count with clusters that do not', async () => {
    const { code, stderr } = await run('snapshot ecs tasks --clusters a --exclude b')
    expect(code).toBe(2)
    expect(stderr).toContain('cannot be combined')
  })

  it('is reported as partial if a cluster cannot be seen, which ends nothing', async () => {
    await expectRunning('snapshot ecs tasks', 'tasks', [UNKNOWN, SIDE, WEB])
    aws.answer = ({ body }) =>
      body.includes('"batch"')
        ? { status: 400, answer: '{"__type":"AccessDeniedException","message":"no"}' }
        : undefined
    const { stdout, stderr } = await run('snapshot ecs tasks')
    expect(stdout).toContain('a partial view')
    expect(stderr).toContain('Not seen: cluster batch')
    expect(await listRunning('tasks')).toEqual([UNKNOWN, SIDE, WEB])
  })

  it('is exit code 5 if no cluster may be seen, and 2 without a region', async () => {
    aws.answer = () => ({ status: 400, answer: '{"__type":"AccessDeniedException","message":"no"}' })
    const { code, stderr } = await run('snapshot ecs tasks')
    expect(code).toBe(5)
    expect(stderr).toContain('docs/reporters.md')
    expect(await run('snapshot ecs tasks', { AWS_REGION: '' })).toMatchObject({ code: 2 })
  })

  it('is read page by page', async () => {
    const pages: Record<string, string> = {
      '{"maxResults":100}': '{"clusterArns":["a:cluster/one"],"nextToken":"2"}',
      '{"maxResults":100,"nextToken":"2"}': '{"clusterArns":["a:cluster/two"]}',
      '{"cluster":"one","maxResults":100}': '{"taskArns":[],"nextToken":"3"}',
      '{"cluster":"one","maxResults":100,"nextToken":"3"}': '{"taskArns":["t"]}',
      '{"cluster":"two","maxResults":100}': '{"taskArns":[]}',
      '{"cluster":"one","tasks":["t"]}': JSON.stringify({
        tasks: [{ taskArn: 't', lastStatus: 'RUNNING', containers: [{ name: 'x', image: 'x' }] }],
        failures: [{ arn: 'gone', reason: 'MISSING' }],
      }),
    }
    aws.answer = ({ body }) => ({ status: 200, answer: pages[body] ?? '' })
    await expectRunning('snapshot ecs tasks', 'tasks', ['x  1'])
  })
})

describe('Lambda', () => {
  it.each([
    ['', FUNCTIONS],
    ['--function-names refund --all-versions', ['refund 645d14e6 2']],
    ['--function-names-regex ^[ci]', FUNCTIONS.slice(0, 2)],
    ['--exclude image', [FUNCTIONS[0], FUNCTIONS[2]]],
  ])('%s reports archives and images', async (flags, expected) => {
    await expectRunning(`snapshot lambda functions ${flags}`, 'functions', expected as string[])
  })

  it('is read page by page', async () => {
    const code = Buffer.alloc(32, 1).toString('base64')
    aws.answer = ({ url }) => ({
      status: 200,
      answer: url.includes('Marker=next')
        ? JSON.stringify({ Functions: [{ FunctionName: 'two', CodeSha256: code }] })
        : JSON.stringify({ Functions: [{ FunctionName: 'one', CodeSha256: code }], NextMarker: 'next' }),
    })
    await expectRunning('snapshot lambda functions', 'functions', ['one 01010101 2'])
  })

  it('is retried when AWS is busy', async () => {
    let isBusy = true
    aws.answer = () => {
      if (!isBusy) return undefined
      isBusy = false
      return { status: 400, answer: '{"__type":"ThrottlingException"}' }
    }
    await expectRunning('snapshot lambda functions', 'functions', FUNCTIONS)
  })
})

describe('S3', () => {
  it.each([
    ['site', '', 'site acb52ab3 1'],
    ['single', '', 'c.txt 2d711642 1'],
    ['ignoring', '', 'ignoring c6a2f4dd 1'],
  ])('bucket %s %s has the fingerprint of the existing client', async (bucket, flags, expected) => {
    await expectRunning(`snapshot s3 site --bucket ${bucket} ${flags}`, 'site', [expected])
  })

  it('is empty if the bucket is, and refused if the flags exclude every object', async () => {
    await expectRunning('snapshot s3 site --bucket nothing', 'site', [])
    expect(await run('snapshot s3 site --bucket site --include nothing')).toMatchObject({ code: 2 })
    expect(await run('snapshot s3 site --bucket site --exclude-regex .')).toMatchObject({ code: 2 })
  })

  it('names keys that cannot exist together in a folder', async () => {
    const listObject = (key: string) => `<Contents><Key>${key}</Key><ETag>"1"</ETag></Contents>`
    aws.answer = () => ({ status: 200, answer: ['a', 'a/b', 'c', 'c//d/../e'].map(listObject).join('') })
    const { code, stderr } = await run('snapshot s3 site --bucket site')
    expect(code).toBe(2)
    expect(stderr).toContain('"a/b" is below a file; "c//d/../e" has a part ".."')
  })

  it('requests the listed version', async () => {
    await run('snapshot s3 site --bucket single')
    expect(aws.asked[1]?.headers['if-match']).toMatch(/^"[0-9a-f]{32}"$/)
    aws.answer = ({ url }) => (url.includes('c.txt') ? { status: 412, answer: '' } : undefined)
    expect(await run('snapshot s3 site --bucket single')).toMatchObject({ code: 7 })
  })

  it("names the bucket's region if it is another", async () => {
    aws.answer = () => ({ status: 301, answer: '', headers: { 'x-amz-bucket-region': 'us-west-2' } })
    const { code, stderr } = await run('snapshot s3 site --bucket site')
    expect(code).toBe(2)
    expect(stderr).toContain('--aws-region us-west-2')
  })
})

describe('a reporter that watches', () => {
  let stop: AbortController
  let watching: Promise<Ran>
  const watch = (line: string) => {
    stop = new AbortController()
    watching = served.cli.run(`${line} --every 1`, { env, signal: stop.signal })
  }
  afterEach(async () => {
    stop.abort()
    expect(await watching).toMatchObject({ code: 0 })
  })

  it('reads an object again only if it has changed', async () => {
    const version = { tag: 1 }
    aws.answer = ({ url }) =>
      url.startsWith('/single/?')
        ? {
            status: 200,
            answer: `<Contents><Key>f</Key><ETag>"${version.tag}"</ETag><LastModified>2026-01-02T03:04:05Z</LastModified></Contents>`,
          }
        : { status: 200, answer: `content ${version.tag}` }
    const untilRunning = (tag: number) => {
      const sha256 = createHash('sha256').update(`content ${tag}`).digest('hex')
      return until(async () => (await listRunning('site'))[0] === `f ${sha256.slice(0, 8)} 1`)
    }
    const countReads = () => aws.asked.filter(({ url }) => url === '/single/f').length
    watch('watch s3 site --bucket single')
    await untilRunning(1)
    await until(() => aws.asked.length >= 4)
    expect(countReads()).toBe(1)
    version.tag = 2
    served.app.clock.advance(1_000)
    await untilRunning(2)
    expect(countReads()).toBe(2)
  })

  it.each([
    ['ecs', 'ECS', 3],
    ['lambda', 'lambda', 3],
  ])('watch %s reports, and goes on when AWS cannot be seen', async (kind, type, count) => {
    const environment = `watched-${kind}`
    await served.app.member.put('/environments/acme', { name: environment, type, description: '' })
    watch(`watch ${kind} ${environment}`)
    await until(async () => (await listRunning(environment)).length === count)
    aws.answer = () => ({ status: 403, answer: '' })
    const before = aws.asked.length
    await until(() => aws.asked.length > before)
    expect(await listRunning(environment)).toHaveLength(count)
  })
})

it('the recorded responses contain no secrets', () => {
  const text = readFileSync(new URL('./aws-answers.json', import.meta.url), 'utf8')
  expect(text).not.toMatch(/authorization|Signature=|AKIA/i)
})
