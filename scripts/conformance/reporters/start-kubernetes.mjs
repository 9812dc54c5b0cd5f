// Starts a real Kubernetes API server and its database on loopback. No other part of a cluster runs: pods are objects
// there, and their status is whatever is written.
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { findFreePort } from '../../run/service.mjs'

const ADMIN = 'admin-token'
const READY_ATTEMPTS = 300
const PEM = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
}

/** If they are missing, prints how to build them and returns undefined. */
export function findKubernetesPrograms() {
  const folder = process.env.KUBERNETES_PROGRAMS ?? ''
  if (folder !== '' && ['kube-apiserver', 'etcd'].every(name => existsSync(join(folder, name)))) return folder
  console.log(
    'Skipped: build kube-apiserver and etcd with `node scripts/conformance/build-kubernetes.mjs FOLDER` (half an hour, needs Go) and set KUBERNETES_PROGRAMS=FOLDER.',
  )
  return undefined
}

/** `tokens`: additional tokens, each with the name of its user. */
export async function startKubernetes(programs, folder, tokens) {
  const [client, peer, port] = [await findFreePort(), await findFreePort(), await findFreePort()]
  const etcd = start(join(programs, 'etcd'), [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${client}`,
    `--advertise-client-urls=http://127.0.0.1:${client}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
    `--initial-cluster=default=http://127.0.0.1:${peer}`,
  ])
  const args = writeSettings(folder, tokens, client, port)
  let server = start(join(programs, 'kube-apiserver'), args)
  const cluster = {
    url: `https://127.0.0.1:${port}`,
    readCa: () => readFileSync(join(folder, 'certificates', 'apiserver.crt'), 'utf8'),
    call: (method, path, body, type = 'application/json') => call({ cluster, method, path, body, type }),
    /** As if its machine had lost power. */
    restart: async () => {
      server.kill('SIGKILL')
      await once(server, 'exit')
      server = start(join(programs, 'kube-apiserver'), args)
      await untilReady(cluster)
    },
    stop: async () => {
      for (const child of [server, etcd]) {
        child.kill('SIGKILL')
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      }
    },
  }
  await untilReady(cluster)
  return cluster
}

function writeSettings(folder, tokens, etcd_port, port) {
  mkdirSync(folder, { recursive: true })
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, ...PEM })
  writeFileSync(join(folder, 'accounts.pub'), publicKey)
  writeFileSync(join(folder, 'accounts.key'), privateKey)
  const lines = Object.entries(tokens).map(([token, user]) => `${token},${user},${user}`)
  writeFileSync(join(folder, 'tokens.csv'), [`${ADMIN},admin,admin,system:masters`, ...lines, ''].join('\n'))
  return [
    `--etcd-servers=http://127.0.0.1:${etcd_port}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, 'certificates')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'accounts.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'accounts.key')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    // No controller creates accounts for new namespaces.
    '--disable-admission-plugins=ServiceAccount',
  ]
}

function start(program, args) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, GOMAXPROCS: '2' }
  return spawn(program, args, { stdio: 'ignore', env })
}

async function untilReady(cluster) {
  for (let attempt = 0; attempt < READY_ATTEMPTS; attempt++) {
    const isReady = await cluster.call('GET', '/readyz').then(
      () => true,
      () => false,
    )
    if (isReady) return
    await wait(1_000)
  }
  throw new Error('The API server did not become ready')
}

async function call({ cluster, method, path, body, type }) {
  const asked = request(new URL(path, cluster.url), {
    method,
    ca: cluster.readCa(),
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': type },
  })
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = await once(asked, 'response')
  const text = (await buffer(response)).toString('utf8')
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`)
  return text.startsWith('{') ? JSON.parse(text) : text
}

export const ADMIN_TOKEN = ADMIN
