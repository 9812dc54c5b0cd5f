// `npm run conformance -- reports`: compares the existing client's reports with ours, for the same cluster, container
// engine and files. Entry by entry. Needs a `kosli` binary; without it, it is skipped. The intended differences are
// in reporters/seen.mjs, and docs/reporters.md explains them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { prepare } from '../run/prepare.mjs'
import { findClientBinary } from './client-binary.mjs'
import { makeChecks } from './reporters/checks.mjs'
import { runProgram, WAYBILL } from './reporters/run-program.mjs'
import {
  CONTAINER_STARTED,
  DIFFERENCES,
  ENGINE,
  FILES,
  PATHS_FILE,
  POD_CREATED,
  PODS,
} from './reporters/seen.mjs'
import { answerAsCluster, answerAsEngine, makeService, startStandIn } from './reporters/stand-ins.mjs'

const binary = findClientBinary()
if (binary === undefined) process.exit(0)
prepare()
const folder = mkdtempSync(join(tmpdir(), 'waybill-reports-'))
const { kept, answer } = makeService()
const service = await startStandIn(answer)
const cluster = await startStandIn(url => answerAsCluster(PODS, url))
const engine = await startStandIn(url => answerAsEngine(ENGINE, url))
const { check, finish } = makeChecks()
try {
  writeFiles()
  const kubeconfig = ['--kubeconfig', join(folder, 'kubeconfig')]
  await compare('k8s', ['snapshot', 'k8s', 'here', ...kubeconfig], [])
  await compare('docker', ['snapshot', 'docker', 'here'], [])
  // Our client has another default method.
  await compare(
    'paths',
    ['snapshot', 'paths', 'here', '--paths-file', 'paths.yml'],
    ['--artifact-type', 'dir'],
  )
} finally {
  for (const standIn of [service, cluster, engine]) await standIn.stop()
  rmSync(folder, { recursive: true, force: true })
}
finish()

async function compare(kind, line, only_ours) {
  const theirs = await report([binary], line, 'KOSLI')
  checkTimes(kind, 'k8s: the time of theirs is that of the pod', POD_CREATED)
  const ours = await report(WAYBILL, [...line, ...only_ours], 'WAYBILL')
  checkTimes(kind, 'k8s: the time of ours is that of the container', CONTAINER_STARTED)
  const found = [
    ...theirs.filter(entry => !ours.includes(entry)).map(entry => `theirs ${entry}`),
    ...ours.filter(entry => !theirs.includes(entry)).map(entry => `ours ${entry}`),
  ]
  const expected = DIFFERENCES[kind].flatMap(({ entries }) => entries)
  const surprises = found.filter(entry => !expected.includes(entry))
  const gone = expected.filter(entry => !found.includes(entry))
  const equal = theirs.filter(entry => ours.includes(entry)).length
  const title = `${kind}: ${equal} entries are the same, ${found.length} differ for ${DIFFERENCES[kind].length} reasons`
  const problem = [
    ...surprises.map(entry => `unexpected: ${entry}`),
    ...gone.map(entry => `no longer: ${entry}`),
  ]
  check(title, problem.length === 0, problem.join('\n     '))
}

/** The entries of the report: everything about one digest. */
async function report(command, line, prefix) {
  kept.report = undefined
  const env = {
    [`${prefix}_HOST`]: `http://127.0.0.1:${service.port}`,
    [`${prefix}_ORG`]: 'acme',
    [`${prefix}_API_TOKEN`]: 'key',
    DOCKER_HOST: `tcp://127.0.0.1:${engine.port}`,
  }
  const ran = await runProgram(command, line, { folder, env })
  if (kept.report === undefined) throw new Error(`${prefix} reported nothing: ${ran.stderr}`)
  const { artifacts, missing = [] } = kept.report
  const entries = artifacts.flatMap(artifact =>
    Object.entries(artifact.digests).map(([name, digest]) => describe(artifact, name, digest)),
  )
  return [...entries, ...missing.map(text => `missing ${text}`)].sort()
}

/**
 * Everything except `alternate_digests`, which only our client has, and the time of a pod, which has a separate
 * check.
 */
function describe({ podName: pod, namespace, owners, creationTimestamp }, name, digest) {
  if (pod === undefined) return `${name} ${digest.slice(0, 8)} ${creationTimestamp}`
  return `${namespace}/${pod} of ${owners?.map(owner => owner.name).join()} ${name} ${digest.slice(0, 8)}`
}

/** Theirs is the creation time of the pod, ours the start time of the container, which changes when it restarts. */
function checkTimes(kind, title, expected) {
  const times = kept.report.artifacts.map(({ creationTimestamp }) => creationTimestamp)
  if (kind === 'k8s')
    check(
      title,
      times.every(time => time === expected),
      times.join(),
    )
}

function writeFiles() {
  for (const [name, content] of Object.entries({ ...FILES, 'paths.yml': PATHS_FILE })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${cluster.port}` } }],
    users: [{ name: 'u', user: { token: 'token' } }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
  }
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config))
}
