// The cluster reporter against a real service: what it reports once, and how it watches.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../packages/testing/src/patience.ts'
import { startTestApp, type TestApp } from '../../server/test/harness.ts'
import { type FakeContainer, type KubernetesApi, startKubernetesApi } from './kubernetes-api.ts'
import { type Cli, makeCli, type Ran } from './run-cli.ts'

const hash = (letter: string) => letter.repeat(64)
const run = (name: string, letter: string): FakeContainer => ({
  name,
  image: `registry.example.com/${name}:1`,
  image_id: `registry.example.com/${name}@sha256:${hash(letter)}`,
})

let app: TestApp
let url: string
let cluster: KubernetesApi
let cli: Cli
let number = 0
let environment: string

beforeAll(async () => {
  app = await startTestApp()
  url = await app.server.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.stop())

beforeEach(async () => {
  cluster = await startKubernetesApi()
  const env = { WAYBILL_HOST: url, WAYBILL_ORG: 'acme', WAYBILL_API_TOKEN: app.admin.key ?? '' }
  cli = makeCli(env, () => app.clock.now().getTime())
  number += 1
  environment = `cluster-${number}`
  await app.admin.put('/environments/acme', { name: environment, type: 'K8S', description: '' })
  writeFileSync(join(cli.folder, 'kubeconfig'), buildKubeconfig(cluster.url))
})
afterEach(async () => {
  cli.remove()
  await cluster.stop()
})

function buildKubeconfig(server: string, user = 'token: cluster-token'): string {
  return `
current-context: here
clusters: [{ name: c, cluster: { server: "${server}" } }]
users: [{ name: u, user: { ${user} } }]
contexts: [{ name: here, context: { cluster: c, user: u } }]
`
}

const line = (verb: string, more = '') => `${verb} k8s ${environment} --kubeconfig kubeconfig ${more}`

async function listRunning(): Promise<string[]> {
  const { body } = await app.admin.get(`/snapshots/acme/${environment}/-1`)
  const artifacts: { fingerprint: string; annotation: { now: number } }[] = body.artifacts ?? []
  // A snapshot also lists instances that just stopped.
  const running = artifacts.filter(({ annotation }) => annotation.now > 0)
  return running.map(({ fingerprint }) => fingerprint[0] ?? '').sort()
}

describe('one report', () => {
  it('has every container of every pod, from all pages of the list', async () => {
    for (let pod = 0; pod < 501; pod++)
      cluster.set({ name: `pod-${pod}`, namespace: 'many', containers: [run('web', 'a')] })
    cluster.set({
      name: 'mixed',
      namespace: 'shop',
      init: [run('init', 'b')],
      containers: [run('web', 'c')],
      debug: [{ ...run('debug', 'd'), is_running: true }],
    })
    const { code, stdout, stderr } = await cli.run(line('snapshot'))
    expect(code, stderr).toBe(0)
    expect(stdout).toBe(`Reported 504 artifacts to environment ${environment}\n`)
    expect(await listRunning()).toEqual(['a', 'b', 'c', 'd'])
    expect(cluster.countLists()).toBe(3)
  })

  it('is partial, and names a namespace or a digest that it cannot see', async () => {
    cluster.set({ name: 'web', namespace: 'shop', containers: [run('web', 'a')] })
    cluster.set({
      name: 'local',
      namespace: 'shop',
      containers: [{ name: 'built', image: 'built', image_id: `sha256:${hash('b')}` }],
    })
    cluster.forbid('secret')
    const { code, stdout, stderr } = await cli.run(line('snapshot', '--namespaces shop,secret'))
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('a partial view')
    expect(stderr).toContain('namespace secret')
    expect(stderr).toContain('shop/local/built')
    const { body } = await app.admin.get(`/environments/acme/${environment}`)
    expect(body).toMatchObject({ is_partial: true })
  })

  it('is exit code 5 if it may see nothing', async () => {
    cluster.forbid('secret')
    const { code, stderr } = await cli.run(line('snapshot', '--namespaces secret'))
    expect(code).toBe(5)
    expect(stderr).toContain('list and watch')
  })

  it('leaves namespaces out', async () => {
    cluster.set({ name: 'web', namespace: 'shop', containers: [run('web', 'a')] })
    cluster.set({ name: 'dns', namespace: 'kube-system', containers: [run('dns', 'b')] })
    await cli.run(line('snapshot', '--exclude-namespaces kube-system'))
    expect(await listRunning()).toEqual(['a'])
  })
})

describe('a kubeconfig', () => {
  it('that runs a program is refused without consent', async () => {
    const exec = 'exec: { command: touch, args: [ran] }'
    writeFileSync(join(cli.folder, 'kubeconfig'), buildKubeconfig(cluster.url, exec))
    const { code, stderr } = await cli.run(line('snapshot'))
    expect(code).toBe(2)
    expect(stderr).toContain('--allow-exec')
  })

  it('in the working directory counts only if the user names it', async () => {
    const { code, stderr } = await cli.run(`snapshot k8s ${environment}`)
    expect(code).toBe(2)
    expect(stderr).toContain(join(cli.folder, '.kube', 'config'))
  })
})

describe('a reporter that watches', () => {
  let stop: AbortController
  let watching: Promise<Ran>
  const watch = (more = '') => {
    stop = new AbortController()
    watching = cli.run(line('watch', more), { signal: stop.signal })
  }
  afterEach(async () => {
    stop.abort()
    expect(await watching).toMatchObject({ code: 0 })
  })

  /** The reporter waits by the service's clock, which only tests move. */
  const letTimePass = () => app.clock.advance(3_000)
  const untilRunning = (expected: string[]) =>
    until(async () => {
      letTimePass()
      return JSON.stringify(await listRunning()) === JSON.stringify(expected)
    })

  it('lists once and then gets only changes', async () => {
    cluster.set({ name: 'web', namespace: 'shop', containers: [run('web', 'a')] })
    watch()
    await untilRunning(['a'])
    cluster.set({ name: 'web', namespace: 'shop', containers: [run('web', 'b')] })
    await untilRunning(['b'])
    cluster.set({ name: 'job', namespace: 'shop', containers: [run('job', 'c')] })
    await untilRunning(['b', 'c'])
    cluster.remove('shop', 'web')
    await untilRunning(['c'])
    expect(cluster.countLists()).toBe(1)
    expect(cluster.countWatches()).toBe(1)
  })

  it('continues where it was when the cluster ends the watch', async () => {
    cluster.set({ name: 'web', namespace: 'shop', containers: [run('web', 'a')] })
    watch()
    await untilRunning(['a'])
    await until(() => cluster.countWatches() === 1)
    cluster.endWatches()
    await until(() => cluster.countWatches() === 2)
    cluster.set({ name: 'web', namespace: 'shop', containers: [run('web', 'b')] })
    await untilRunning(['b'])
    expect(cluster.countLists()).toBe(1)
  })

  it('lists again when the connection is cut, and when the cluster no longer knows the list', async () => {
    cluster.set({ name: 'web', namespace: 'shop', containers: [run('web', 'a')] })
    watch()
    await untilRunning(['a'])
    await until(() => cluster.countWatches() === 1)
    cluster.expire()
    cluster.cut()
    // The second watch is refused, and the third continues.
    await until(() => cluster.countWatches() >= 3)
    expect(cluster.countLists()).toBe(cluster.countWatches())
    cluster.set({ name: 'web', namespace: 'shop', containers: [run('web', 'b')] })
    await untilRunning(['b'])
  })

  it('reports regularly without a change, well within the interval that the environment expects', async () => {
    await app.admin.put('/environments/acme', {
      name: environment,
      type: 'K8S',
      description: '',
      expected_report_interval: 60,
    })
    cluster.set({ name: 'web', namespace: 'shop', containers: [run('web', 'a')] })
    watch()
    await untilRunning(['a'])
    const readReported = async () =>
      (await app.admin.get(`/environments/acme/${environment}`)).body.last_reported_at
    const first = await readReported()
    app.clock.advance(21_000)
    await until(async () => (await readReported()) > first)
  })
})
