// `npm run conformance -- kubernetes`: runs our cluster reporter against a real Kubernetes API server. Its pods move,
// and a new service stores the reports. Needs the programs that scripts/conformance/build-kubernetes.mjs builds;
// without them, it is skipped.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { prepare } from '../run/prepare.mjs'
import { ORG, startService } from '../run/service.mjs'
import { makeChecks } from './reporters/checks.mjs'
import { allowOneNamespace, removePod, run, setPod } from './reporters/cluster-pods.mjs'
import { runProgram, startProgram, WAYBILL } from './reporters/run-program.mjs'
import { ADMIN_TOKEN, findKubernetesPrograms, startKubernetes } from './reporters/start-kubernetes.mjs'
import { callService, listRunning } from './reporters/stored.mjs'

const ENVIRONMENT = 'cluster'
/** More than one page of a list. */
const MANY = 520
const AT_ONCE = 8
const LONGEST_WAIT_SECONDS = 120

const programs = findKubernetesPrograms()
if (programs === undefined) process.exit(0)
prepare()
const folder = mkdtempSync(join(tmpdir(), 'waybill-kubernetes-'))
const cluster = await startKubernetes(programs, join(folder, 'cluster'), { 'shop-token': 'shop-reader' })
const service = await startService(join(folder, 'data'))
const { check, finish } = makeChecks()
try {
  await fillCluster()
  await callService(service, 'PUT', `/environments/${ORG}`, {
    name: ENVIRONMENT,
    type: 'K8S',
    description: '',
  })
  await reportOnce()
  await reportPart()
  await follow()
} finally {
  await service.stop()
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
finish()

async function fillCluster() {
  for (const name of ['shop', 'secret', 'many'])
    await cluster.call('POST', '/api/v1/namespaces', { metadata: { name } })
  await allowOneNamespace(cluster, 'shop-reader', 'shop')
  await setPod(cluster, {
    namespace: 'shop',
    name: 'web',
    init: [run('init', 'a')],
    containers: [run('web', 'b'), { ...run('web', 'c'), name: 'canary' }],
  })
  await setPod(cluster, {
    namespace: 'shop',
    name: 'done',
    phase: 'Succeeded',
    containers: [run('job', 'd')],
  })
  await setPod(cluster, {
    namespace: 'shop',
    name: 'starting',
    phase: 'Pending',
    containers: [run('new', '')],
  })
  await setPod(cluster, { namespace: 'secret', name: 'vault', containers: [run('vault', 'e')] })
  const names = Array.from({ length: MANY }, (_, index) => `pod-${index}`)
  const makeSome = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      await setPod(cluster, { namespace: 'many', name, containers: [run('many', 'f')] })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, makeSome))
}

async function reportOnce() {
  const ran = await waybill(['snapshot', 'k8s', ENVIRONMENT], ADMIN_TOKEN)
  check('one report ends with 0', ran.status === 0, ran.stderr)
  await expectRunning('has every container of every page, and none of a pod that ended or did not start', [
    'a 1',
    'b 1',
    'c 1',
    'e 1',
    `f ${MANY}`,
  ])
}

async function reportPart() {
  const refused = await waybill(['snapshot', 'k8s', ENVIRONMENT], 'shop-token')
  check('a user who may not list all namespaces gets 5', refused.status === 5, refused.stderr)
  const part = await waybill(['snapshot', 'k8s', ENVIRONMENT, '--namespaces', 'shop,secret'], 'shop-token')
  check('a namespace that may not be seen is said', part.stderr.includes('namespace secret'), part.stderr)
  await expectRunning('and a partial report ends nothing', ['a 1', 'b 1', 'c 1', 'e 1', `f ${MANY}`])
}

async function follow() {
  const args = ['watch', 'k8s', ENVIRONMENT, '--namespaces', 'shop,secret', '--heartbeat', '5']
  const child = startProgram(WAYBILL, [...args, '--kubeconfig', writeKubeconfig(ADMIN_TOKEN)], {
    folder,
    env: env(),
  })
  const closed = once(child, 'close')
  let said = ''
  child.stderr.on('data', text => {
    said += text
  })
  child.stdout.resume()
  await expectRunning('a watching reporter sees two namespaces', ['a 1', 'b 1', 'c 1', 'e 1'])
  await setPod(cluster, { namespace: 'secret', name: 'vault', containers: [run('vault', '1')] })
  await expectRunning('a new image in a pod is noticed', ['1 1', 'a 1', 'b 1', 'c 1'])
  await setPod(cluster, { namespace: 'shop', name: 'extra', containers: [run('extra', '2')] })
  await expectRunning('a new pod is noticed', ['1 1', '2 1', 'a 1', 'b 1', 'c 1'])
  await removePod(cluster, 'shop', 'web')
  await expectRunning('a pod that is gone is noticed', ['1 1', '2 1'])
  await cluster.restart()
  await setPod(cluster, { namespace: 'shop', name: 'later', containers: [run('later', '3')] })
  await expectRunning('changes after the API server was killed are noticed', ['1 1', '2 1', '3 1'])
  child.kill('SIGTERM')
  const [status] = await closed
  check('it ends when it is asked to', status === 130, `${status} ${said}`)
}

async function expectRunning(title, expected) {
  let found = []
  for (let second = 0; second < LONGEST_WAIT_SECONDS; second++) {
    found = await listRunning(
      service,
      ENVIRONMENT,
      ({ fingerprint, annotation }) => `${fingerprint[0]} ${annotation.now}`,
    )
    if (JSON.stringify(found) === JSON.stringify(expected)) break
    await wait(1_000)
  }
  check(title, JSON.stringify(found) === JSON.stringify(expected), `runs ${JSON.stringify(found)}`)
}

function env() {
  return { WAYBILL_HOST: service.url, WAYBILL_ORG: ORG, WAYBILL_API_TOKEN: service.key }
}

function waybill(args, token) {
  return runProgram(WAYBILL, [...args, '--kubeconfig', writeKubeconfig(token)], { folder, env: env() })
}

function writeKubeconfig(token) {
  const file = join(folder, `${token}.yaml`)
  const ca = Buffer.from(cluster.readCa()).toString('base64')
  const config = {
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server: cluster.url, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
  }
  writeFileSync(file, JSON.stringify(config))
  return file
}
