// Finds out how to reach a cluster's API server: from inside a pod, or with the user's kubeconfig. A
// kubeconfig can name programs that produce a token; they run only if the user allows it.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Environment } from '../../ci/systems.ts'
import { dropMissing } from '../../lib/drop-missing.ts'
import { failUsage } from '../../program/problem.ts'

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

export interface ClusterAccess {
  url: string
  tls: { ca?: string; cert?: string; key?: string; servername?: string }
  /** Called for each request: a token in a pod is replaced every hour. */
  getToken(): Promise<string | undefined>
}

export interface ClusterOptions {
  /** The file of `--kubeconfig`. */
  kubeconfig: string | undefined
  context: string | undefined
  allows_exec: boolean
  account_folder?: string
}

interface Kubeconfig {
  'current-context'?: string
  clusters?: { name: string; cluster?: ClusterEntry }[]
  users?: { name: string; user?: UserEntry }[]
  contexts?: { name: string; context?: { cluster?: string; user?: string } }[]
}

interface ClusterEntry {
  server?: string
  'certificate-authority'?: string
  'certificate-authority-data'?: string
  'tls-server-name'?: string
  'insecure-skip-tls-verify'?: boolean
}

interface UserEntry {
  token?: string
  tokenFile?: string
  'client-certificate'?: string
  'client-certificate-data'?: string
  'client-key'?: string
  'client-key-data'?: string
  exec?: { command?: string; args?: string[]; env?: { name: string; value: string }[] | null }
}

export async function findCluster(env: Environment, options: ClusterOptions): Promise<ClusterAccess> {
  const folder = options.account_folder ?? ACCOUNT
  const file = options.kubeconfig ?? env.KUBECONFIG
  if (file === undefined && env.KUBERNETES_SERVICE_HOST && existsSync(join(folder, 'token')))
    return readOwnAccount(env, folder)
  return readKubeconfig(file ?? join(env.HOME ?? '', '.kube', 'config'), env, options)
}

function readOwnAccount(env: Environment, folder: string): ClusterAccess {
  const host = env.KUBERNETES_SERVICE_HOST ?? ''
  const port = env.KUBERNETES_SERVICE_PORT || '443'
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { ca: readFileSync(join(folder, 'ca.crt'), 'utf8') },
    getToken: async () => readFileSync(join(folder, 'token'), 'utf8').trim(),
  }
}

async function readKubeconfig(
  file: string,
  env: Environment,
  options: ClusterOptions,
): Promise<ClusterAccess> {
  const config = await parseFile(file)
  const name = options.context ?? config['current-context']
  const context = config.contexts?.find(each => each.name === name)?.context
  if (context === undefined)
    failUsage(`${file} has no context "${name ?? ''}"`, 'Choose one with --kube-context.')
  const cluster = config.clusters?.find(each => each.name === context.cluster)?.cluster
  const user = config.users?.find(each => each.name === context.user)?.user ?? {}
  if (cluster?.server === undefined) failUsage(`${file}: the cluster "${context.cluster}" has no server`)
  if (cluster['insecure-skip-tls-verify'])
    failUsage(
      `${file}: insecure-skip-tls-verify is not supported`,
      'Name the certificate authority of the cluster.',
    )
  const folder = dirname(resolve(file))
  const ca = readValue(cluster['certificate-authority-data'], cluster['certificate-authority'], folder)
  const cert = readValue(user['client-certificate-data'], user['client-certificate'], folder)
  const key = readValue(user['client-key-data'], user['client-key'], folder)
  const servername = cluster['tls-server-name']
  return {
    url: cluster.server.replace(/\/+$/, ''),
    tls: dropMissing({ ca, cert, key, servername }),
    getToken: () => findToken(user, { folder, file, env, allows_exec: options.allows_exec }),
  }
}

async function parseFile(file: string): Promise<Kubeconfig> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    failUsage(
      `The kubeconfig ${file} cannot be read`,
      'Name one with --kubeconfig, or run inside the cluster.',
    )
  }
  const { parse } = await import('../../values/yaml.ts')
  try {
    return (parse(text) as Kubeconfig | null) ?? {}
  } catch {
    failUsage(`The kubeconfig ${file} is not valid YAML`)
  }
}

/** Inline data takes precedence over a path, which is relative to the file. */
function readValue(data: string | undefined, path: string | undefined, folder: string): string | undefined {
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8')
  return path === undefined ? undefined : readFileSync(resolve(folder, path), 'utf8')
}

async function findToken(
  user: UserEntry,
  {
    folder,
    file,
    env,
    allows_exec,
  }: { folder: string; file: string; env: Environment; allows_exec: boolean },
): Promise<string | undefined> {
  if (user.token !== undefined) return user.token
  if (user.tokenFile !== undefined) return readFileSync(resolve(folder, user.tokenFile), 'utf8').trim()
  if (user.exec === undefined) return undefined
  const { command = '', args = [], env: variables } = user.exec
  if (!allows_exec)
    failUsage(
      `${file} wants to run the program "${command}" for a token`,
      'Add --allow-exec if you trust this file, or use a service account.',
    )
  const extra = Object.fromEntries((variables ?? []).map(({ name, value }) => [name, value]))
  const { stdout } = await promisify(execFile)(command, args, { env: { ...env, ...extra } })
  const { status } = JSON.parse(stdout) as { status?: { token?: string } }
  return status?.token
}
