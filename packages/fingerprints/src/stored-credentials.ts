// Credentials that Docker and Podman have stored: their files, and the credential helpers that these name.
import { join } from 'node:path'
import { toBytes } from './byte-paths.ts'
import { askCredentialHelper } from './credential-helper.ts'
import { parseObject, toObject, toText, type Values } from './json.ts'
import { readSmallText } from './oci-layout.ts'
import { FingerprintProblem } from './problem.ts'
import type { ImageReference } from './reference.ts'
import type { Credentials, FindCredentials } from './registry-auth.ts'

const FILE_BYTES = 1024 * 1024
/** The key of Docker Hub, for historical reasons. */
const HUB_KEY = 'https://index.docker.io/v1/'

export type Environment = Readonly<Record<string, string | undefined>>

export interface StoredOptions {
  /** HOME, DOCKER_CONFIG, REGISTRY_AUTH_FILE, XDG_RUNTIME_DIR, XDG_CONFIG_HOME; PATH for credential helpers. */
  env: Environment
}

/** Uses the first file that knows the registry, in Podman's order: its own files, then Docker's. */
export function findStoredCredentials({ env }: StoredOptions): FindCredentials {
  return async image => {
    for (const path of listAuthFiles(env)) {
      const file = await readAuthFile(path)
      const found = file && (await findInFile(file, path, image, env))
      if (found) return found
    }
    return undefined
  }
}

export function listAuthFiles(env: Environment): string[] {
  if (env.REGISTRY_AUTH_FILE) return [env.REGISTRY_AUTH_FILE]
  const { HOME: home, XDG_RUNTIME_DIR: runtime, XDG_CONFIG_HOME: config, DOCKER_CONFIG: docker } = env
  const below = (folder: string | undefined, ...parts: string[]) => (folder ? [join(folder, ...parts)] : [])
  return [
    ...below(runtime, 'containers', 'auth.json'),
    ...below(config || (home && join(home, '.config')), 'containers', 'auth.json'),
    ...below(docker || (home && join(home, '.docker')), 'config.json'),
  ]
}

async function readAuthFile(path: string): Promise<Values | undefined> {
  try {
    const file = parseObject(await readSmallText(path, FILE_BYTES))
    if (file) return file
  } catch (error) {
    if (error instanceof FingerprintProblem && error.reason === 'not_found') return undefined
    throw error
  }
  const message = `${JSON.stringify(path)} is not a JSON object. Repair it, or log in again with docker or podman.`
  throw new FingerprintProblem('invalid', message)
}

async function findInFile(
  file: Values,
  path: string,
  image: ImageReference,
  env: Environment,
): Promise<Credentials | undefined> {
  const keys = listKeys(image)
  const isHub = keys.includes(HUB_KEY)
  const server = isHub ? HUB_KEY : image.registry
  const helpers = toObject(file.credHelpers) ?? {}
  const helper = keys.map(key => toText(helpers[key])).find(Boolean)
  if (helper) return askCredentialHelper(helper, server, env)
  const auths = toObject(file.auths) ?? {}
  for (const key of keys) {
    const stated = Object.keys(auths).find(each => each === key || normalizeKey(each) === key)
    const found = stated === undefined ? undefined : readEntry(toObject(auths[stated]) ?? {}, path, stated)
    if (found) return found
  }
  const store = toText(file.credsStore)
  return store ? askCredentialHelper(store, server, env) : undefined
}

/** From the repository and its parents, which only Podman supports, to the host. */
function listKeys({ registry, repository }: ImageReference): string[] {
  const parts = [registry, ...repository.split('/')]
  const paths = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
  return registry === 'docker.io' ? [...paths, HUB_KEY, 'index.docker.io'] : paths
}

/** Docker also writes whole URLs. */
function normalizeKey(key: string): string {
  return /^https?:\/\//.test(key) ? key.replace(/^https?:\/\//, '').replace(/\/.*$/, '') : key
}

function readEntry(entry: Values, path: string, key: string): Credentials | undefined {
  const source = `${path} (${key})`
  const identity = toText(entry.identitytoken)
  if (identity) return { kind: 'identity_token', token: identity, source }
  const registry = toText(entry.registrytoken)
  if (registry) return { kind: 'registry_token', token: registry, source }
  const auth = toText(entry.auth)
  const pair = auth === undefined ? undefined : Buffer.from(auth, 'base64').toString('utf8')
  const colon = pair?.indexOf(':') ?? -1
  if (pair !== undefined && colon < 0) {
    const shown = Buffer.from(toBytes(path), 'latin1').toString('utf8')
    throw new FingerprintProblem(
      'invalid',
      `${shown} has an "auth" for ${key} that is not base64 of name:password. Log in again.`,
    )
  }
  const username = pair === undefined ? toText(entry.username) : pair.slice(0, colon)
  const password = pair === undefined ? toText(entry.password) : pair.slice(colon + 1).replace(/\0+$/, '')
  return username && password ? { kind: 'password', username, password, source } : undefined
}
