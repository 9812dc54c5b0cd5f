// The chart in a real Kubernetes API server: a strict dry run of every object, then `helm install` and `helm upgrade`
// as a person would run them. No controllers run: this script creates the default objects of each namespace, and
// completes the migration job.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { root } from '../../run/prepare.mjs'
import { startApiServer } from './api-server.mjs'
import { CHART, listValuesFiles, readObjects } from './chart.mjs'
import { readExtensions } from './kubernetes-schemas.mjs'
import { fail, getProgram, run } from './tools.mjs'

const ESTABLISHED_ATTEMPTS = 600
/** The objects that a cluster administrator creates before a chart may name them. */
const PRIORITY = { kind: 'PriorityClass', metadata: { name: 'important' }, value: 1_000 }
const EXTENSIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export async function checkInstall() {
  const helm = getProgram('helm')
  const server = await startApiServer()
  try {
    console.log('ok  an API server of Kubernetes is ready')
    for (const definition of readExtensions()) await addExtension(server, definition)
    const priorities = '/apis/scheduling.k8s.io/v1/priorityclasses'
    await expectStatus('priority class', 201, server.send('POST', priorities, PRIORITY))
    for (const file of listValuesFiles()) await checkValues(server, helm, file)
  } finally {
    await server.stop()
  }
}

async function addExtension({ send }, definition) {
  const { name } = definition.metadata
  await expectStatus(`extension ${name}`, 201, send('POST', EXTENSIONS, definition))
  for (let attempt = 0; attempt < ESTABLISHED_ATTEMPTS; attempt++) {
    const { body } = await send('GET', `${EXTENSIONS}/${name}`)
    if (body.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True'))
      return
    await wait(100)
  }
  fail(`extension ${name}`, 'It was not established.')
}

async function checkValues(server, helm, file) {
  const namespace = `waybill-${file.replace('-values.yaml', '')}`
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  const described = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }
  await expectStatus(`namespace ${namespace}`, 201, server.send('POST', '/api/v1/namespaces', described))
  const options = ['--namespace', namespace, '--values', join(CHART, 'ci', file)]
  const more = ['--kubeconfig', server.kubeconfig]
  const text = run(`helm template for the server, ${file}`, helm, [
    ...['template', 'waybill', CHART, '--validate'],
    ...options,
    ...more,
  ])
  const objects = readObjects(text)
  await addAccounts(server, namespace, objects)
  for (const object of objects) await dryRun(server, namespace, object, file)
  for (const action of ['install', 'upgrade']) {
    await runHelm(server, helm, namespace, [action, 'waybill', CHART, ...options, ...more])
    console.log(`ok  helm ${action}, ${file}`)
  }
  for (const { kind, spec } of objects.filter(({ spec }) => spec?.template !== undefined))
    await dryRunPod(server, namespace, `${kind} of ${file}`, spec.template)
}

/** Every namespace has a service account called default. A chart may also use an existing one. */
async function addAccounts({ send }, namespace, objects) {
  const own = objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name)
  const used = objects.flatMap(({ spec }) => spec?.template?.spec.serviceAccountName ?? [])
  for (const name of new Set(['default', ...used].filter(name => !own.includes(name)))) {
    const account = { kind: 'ServiceAccount', metadata: { name } }
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts`
    await expectStatus(`service account ${name}`, 201, send('POST', path, account))
  }
}

async function dryRun(server, namespace, object, file) {
  const path = await findPath(server, namespace, object)
  const title = `strict dry run, ${file}: ${object.kind} ${object.metadata.name}`
  await expectStatus(title, 201, server.send('POST', `${path}?dryRun=All&fieldValidation=Strict`, object))
}

/** The path for creating objects of this kind, as the server reports it. */
async function findPath({ send }, namespace, { apiVersion, kind }) {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const { body } = await send('GET', group)
  const found = body.resources?.find(resource => resource.kind === kind && !resource.name.includes('/'))
  if (!found) fail(`${apiVersion} ${kind}`, 'The server does not know it.')
  return found.namespaced ? `${group}/namespaces/${namespace}/${found.name}` : `${group}/${found.name}`
}

/**
 * Its service account exists now, and the namespace accepts only restricted pods: one that runs as root is refused.
 */
async function dryRunPod({ send }, namespace, title, { metadata, spec }) {
  const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All&fieldValidation=Strict`
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'check' }, spec }
  await expectStatus(`pod as ${title} would create it`, 201, send('POST', path, pod))
  const securityContext = { ...spec.securityContext, runAsNonRoot: false, runAsUser: 0 }
  const asRoot = { ...pod, spec: { ...spec, securityContext } }
  await expectStatus(`the same pod as root is refused, ${title}`, 403, send('POST', path, asRoot))
}

async function runHelm(server, helm, namespace, args) {
  const ran = spawn(helm, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
  const said = []
  ran.stderr.on('data', chunk => said.push(chunk))
  const closed = once(ran, 'close')
  while (ran.exitCode === null) {
    await completeJobs(server, namespace)
    await Promise.race([closed, wait(200)])
  }
  const text = Buffer.concat(said).toString()
  if (ran.exitCode !== 0 || /^W\d+ |warning:/im.test(text)) fail(`helm ${args[0]}, ${namespace}`, text)
}

async function completeJobs({ send }, namespace) {
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`
  const { body } = await send('GET', jobs)
  for (const { metadata, status } of body.items.filter(({ status }) => !status.completionTime)) {
    const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
    const conditions = ['SuccessCriteriaMet', 'Complete'].map(type => ({
      type,
      status: 'True',
      lastTransitionTime: now,
    }))
    const done = { startTime: status.startTime ?? now, completionTime: now, succeeded: 1, conditions }
    // It may have been deleted in between.
    const answer = await send('PATCH', `${jobs}/${metadata.name}/status`, { status: done })
    if (![200, 404].includes(answer.status)) fail('the migration job', JSON.stringify(answer.body))
  }
}

async function expectStatus(title, status, answer) {
  const { status: got, body } = await answer
  if (got !== status) fail(title, `${got} ${body.message ?? body}`)
  console.log(`ok  ${title}`)
}
