// Starts a Kubernetes API server on loopback and sends requests to it. It validates and stores objects; nothing runs.
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { root } from '../../run/prepare.mjs'
import { findFreePort } from '../../run/service.mjs'
import { getBuilt, KUBERNETES } from './tools.mjs'

const READY_ATTEMPTS = 1_200
const TOKEN = 'of-the-check'

export async function startApiServer() {
  const source = join(root, 'scripts/check/deploy/kubernetes')
  const program = getBuilt('kube-api-server', source, '.', nameVersion())
  const folder = mkdtempSync(join(tmpdir(), 'waybill-kubernetes-'))
  const port = await findFreePort()
  const args = [join(folder, 'etcd'), String(await findFreePort()), ...buildOptions(folder, port)]
  const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const said = []
  server.stderr.on('data', chunk => said.push(chunk))
  const closed = once(server, 'close')
  // Even if a check fails, which ends this process.
  process.once('exit', () => {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const stop = async () => {
    server.kill('SIGKILL')
    await closed
  }
  const certificate = join(folder, 'apiserver.crt')
  const send = (method, path, body) => sendRequest({ port, certificate }, method, path, body)
  try {
    await untilReady(server, send)
  } catch (error) {
    await stop()
    throw new Error(`${error.message}\n${Buffer.concat(said)}`)
  }
  return { send, stop, kubeconfig: writeKubeconfig(folder, port, certificate) }
}

/** Releases have a version linked in; charts ask for it. */
function nameVersion() {
  const [major, minor] = KUBERNETES.split('.')
  const fields = { gitVersion: `v${KUBERNETES}`, gitMajor: major, gitMinor: minor }
  return Object.entries(fields)
    .map(([field, value]) => `-X k8s.io/component-base/version.${field}=${value}`)
    .join(' ')
}

function buildOptions(folder, port) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const write = (name, text) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const key = write('accounts.key', privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const public_key = write('accounts.pub', publicKey.export({ type: 'spki', format: 'pem' }))
  const tokens = write('tokens.csv', `${TOKEN},check,check,"system:masters"\n`)
  return [
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    `--token-auth-file=${tokens}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${public_key}`,
    `--service-account-signing-key-file=${key}`,
  ]
}

async function untilReady(server, send) {
  for (let attempt = 0; attempt < READY_ATTEMPTS; attempt++) {
    if (server.exitCode !== null) throw new Error('The API server ended.')
    const { status } = await send('GET', '/readyz').catch(() => ({ status: 0 }))
    if (status === 200) return
    await wait(500)
  }
  throw new Error('The API server did not become ready.')
}

/** Returns the status and the body, parsed if it is JSON. */
function sendRequest({ port, certificate }, method, path, body) {
  return new Promise((resolve, reject) => {
    if (!existsSync(certificate)) return reject(new Error('The API server has no certificate yet.'))
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method,
      ca: readFileSync(certificate),
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type },
    }
    const sent = request(options, async answer => {
      const chunks = await answer.toArray()
      const text = Buffer.concat(chunks).toString()
      resolve({ status: answer.statusCode, body: text.startsWith('{') ? JSON.parse(text) : text })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** JSON is YAML too. */
function writeKubeconfig(folder, port, certificate) {
  const file = join(folder, 'kubeconfig')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'check',
        cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': certificate },
      },
    ],
    users: [{ name: 'check', user: { token: TOKEN } }],
    contexts: [{ name: 'check', context: { cluster: 'check', user: 'check' } }],
    'current-context': 'check',
  }
  writeFileSync(file, JSON.stringify(config))
  return file
}
