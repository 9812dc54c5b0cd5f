// Lists and watches the pods of a cluster: one paged list, and then only changes.
import { ConnectionProblem, type Exchange, type Incoming, readBody } from '../../http/exchange.ts'
import { Problem } from '../../program/problem.ts'
import type { ClusterAccess } from './config.ts'
import { type Pod, trimPod } from './containers.ts'

const PAGE = 250
const LIST_TIMEOUT_MS = 60_000
/** The API server ends a watch after this time, and the client starts a new one. */
const WATCH_SECONDS = 300

interface PodList {
  pods: Pod[]
  version: string
}

export type PodChange = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; pod: Pod }

/** The list is too old to continue from: list again. */
export class WatchExpired extends Error {}

export interface Cluster {
  /** Undefined for all namespaces. */
  listPods(namespace: string | undefined): Promise<PodList>
  watchPods(namespace: string | undefined, version: string, signal: AbortSignal): AsyncIterable<PodChange>
}

export function makeCluster(access: ClusterAccess, exchange: Exchange): Cluster {
  const get = async (path: string, timeout_ms: number, signal?: AbortSignal): Promise<Incoming> => {
    const token = await access.getToken()
    return exchange({
      method: 'GET',
      url: new URL(`${access.url}${path}`),
      headers: {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      timeout_ms,
      tls: access.tls,
      signal,
    })
  }
  return {
    listPods: namespace => listAll(path => get(path, LIST_TIMEOUT_MS), getBase(namespace)),
    watchPods: (namespace, version, signal) => watch(get, `${getBase(namespace)}`, version, signal),
  }
}

const getBase = (namespace: string | undefined): string =>
  namespace === undefined ? '/api/v1/pods' : `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`

interface ListAnswer {
  metadata?: { continue?: string; resourceVersion?: string }
  items?: Pod[]
}

async function listAll(get: (path: string) => Promise<Incoming>, base: string): Promise<PodList> {
  const pods: Pod[] = []
  let next: string | undefined
  for (;;) {
    const query = new URLSearchParams({
      limit: String(PAGE),
      ...(next === undefined ? {} : { continue: next }),
    })
    const answer = await get(`${base}?${query}`)
    const bytes = await readBody(answer)
    if (answer.status !== 200) throw explain(answer.status, bytes, base)
    const { metadata = {}, items = [] } = JSON.parse(bytes.toString('utf8')) as ListAnswer
    // One page at a time: pod descriptions are long, and a report needs little of them.
    for (const pod of items) pods.push(trimPod(pod))
    next = metadata.continue || undefined
    if (next === undefined) return { pods, version: metadata.resourceVersion ?? '' }
  }
}

async function* watch(
  get: (path: string, timeout_ms: number, signal?: AbortSignal) => Promise<Incoming>,
  base: string,
  version: string,
  signal: AbortSignal,
): AsyncIterable<PodChange> {
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: version,
    timeoutSeconds: String(WATCH_SECONDS),
  })
  const answer = await get(`${base}?${query}`, (WATCH_SECONDS + 30) * 1000, signal)
  if (answer.status !== 200) {
    const bytes = await readBody(answer)
    if (answer.status === 410) throw new WatchExpired()
    throw explain(answer.status, bytes, base)
  }
  for await (const line of readLines(answer)) {
    const { type, object } = JSON.parse(line) as {
      type: string
      object: Pod & { code?: number; message?: string }
    }
    if (type === 'ERROR') {
      if (object.code === 410) throw new WatchExpired()
      throw new ConnectionProblem(`the cluster ended the watch: ${object.message ?? object.code}`)
    }
    yield { type: type as PodChange['type'], pod: trimPod(object) }
  }
}

/** Fails if the connection breaks: the reporter must not assume that nothing changes anymore. */
async function* readLines({ body }: Incoming): AsyncIterable<string> {
  let rest = ''
  body.setEncoding('utf8')
  try {
    for await (const chunk of body) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      yield* lines.filter(line => line !== '')
    }
  } catch (error) {
    throw new ConnectionProblem('the connection to the cluster was cut', { cause: error })
  }
}

function explain(status: number, bytes: Buffer, base: string): Problem {
  const said = readMessage(bytes)
  if (status === 401 || status === 403)
    return new Problem(`The cluster does not allow to read ${base}: ${said}`, {
      exit: 'not_allowed',
      hint: 'The reporter needs the verbs list and watch for pods. Name the namespaces it may read with --namespaces.',
    })
  return new Problem(`The cluster answered ${status} for ${base}: ${said}`, {
    exit: status >= 500 || status === 429 ? 'unreachable' : 'failure',
  })
}

function readMessage(bytes: Buffer): string {
  try {
    return String((JSON.parse(bytes.toString('utf8')) as { message?: string }).message ?? '')
  } catch {
    // A proxy between this machine and the cluster.
    return bytes.toString('utf8').slice(0, 200)
  }
}
