// Observes ECS containers: all tasks of the clusters, even those without a service.
import { readBody } from '../../http/exchange.ts'
import { Problem } from '../../program/problem.ts'
import type { Observation } from '../observation.ts'
import type { SendToAws } from './client.ts'
import type { NamePick } from './pick-names.ts'
import type { AwsCredentials } from './sign.ts'

export interface EcsParts {
  send: SendToAws
  getCredentials(): Promise<AwsCredentials>
  clusters: NamePick
  services: NamePick
  /** Whether services are chosen; tasks without a service do not count then. */
  chooses_services: boolean
  region: string
  observed_at: number
}

interface Task {
  taskArn?: string
  group?: string
  lastStatus?: string
  startedAt?: number
  createdAt?: number
  containers?: readonly Container[]
}

interface Container {
  name?: string
  image?: string
  imageDigest?: string
  lastStatus?: string
}

interface TaskElement {
  taskArn: string
  cluster_name: string
  service_name: string | null
  digests: Record<string, string>
  creationTimestamp: number
}

const TARGET = 'AmazonEC2ContainerServiceV20141113'
/** The maximum that the API lists and describes at once. */
const PAGE = 100
/** A task that is stopping still runs its containers. */
const RUNNING = new Set(['RUNNING', 'DEACTIVATING', 'STOPPING'])
const DIGEST = /sha256:([0-9a-f]{64})$/

/** Fails if it can see nothing at all; otherwise the result includes what is missing. */
export async function observeTasks(parts: EcsParts): Promise<Observation> {
  const { clusters, services, region, observed_at } = parts
  const names = clusters.listed ?? (await listClusters(parts)).filter(clusters.isPicked)
  const elements: TaskElement[] = []
  const missing: string[] = []
  const problems: Problem[] = []
  for (const cluster of [...names].sort()) {
    try {
      await addTasks(cluster, parts, elements, missing)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problems.push(error)
      missing.push(`cluster ${cluster}: ${error.message}`)
    }
  }
  const [problem] = problems
  if (problem !== undefined && problems.length === names.length) throw problem
  const scope = `${region}: ${clusters.description}${parts.chooses_services ? `, ${services.description}` : ''}`
  return { elements: sortElements(elements), missing, observed_at, scope }
}

async function listClusters(parts: EcsParts): Promise<string[]> {
  const arns = await listAll<string>(parts, 'ListClusters', {}, 'clusterArns')
  return arns.map(arn => arn.split('/').at(-1) ?? arn)
}

async function addTasks(
  cluster: string,
  parts: EcsParts,
  elements: TaskElement[],
  missing: string[],
): Promise<void> {
  const arns = await listAll<string>(parts, 'ListTasks', { cluster }, 'taskArns')
  const found: TaskElement[] = []
  for (let from = 0; from < arns.length; from += PAGE) {
    const { tasks = [], failures = [] } = await call<{
      tasks?: Task[]
      failures?: { arn?: string; reason?: string }[]
    }>(parts, 'DescribeTasks', { cluster, tasks: arns.slice(from, from + PAGE) })
    for (const task of tasks) found.push(...describeTask(cluster, task, parts))
    // A task that is gone has ended since it was listed.
    for (const { arn, reason } of failures) if (reason !== 'MISSING') missing.push(`task ${arn}: ${reason}`)
  }
  elements.push(...found)
}

/**
 * One element for each container, so that two with the same image name and different digests stay separate.
 */
function describeTask(
  cluster: string,
  { taskArn = '', group = '', lastStatus = '', startedAt, createdAt, containers = [] }: Task,
  { services, chooses_services }: Pick<EcsParts, 'services' | 'chooses_services'>,
): TaskElement[] {
  const service = /^service:(.+)$/.exec(group)?.[1] ?? null
  if (chooses_services && (service === null || !services.isPicked(service))) return []
  if (!RUNNING.has(lastStatus)) return []
  return containers
    .filter(container => container.lastStatus !== 'PENDING')
    .map(({ name = '', image = name, imageDigest = '' }) => ({
      taskArn,
      cluster_name: cluster,
      service_name: service,
      // Empty if the agent did not report digests: the name alone identifies the image.
      digests: { [image]: DIGEST.exec(imageDigest)?.[1] ?? DIGEST.exec(image)?.[1] ?? '' },
      creationTimestamp: Math.floor(startedAt ?? createdAt ?? 0),
    }))
}

/** Sorted, so that the same tasks always give the same report. */
function sortElements(elements: readonly TaskElement[]): TaskElement[] {
  const getKey = (element: TaskElement) => `${element.taskArn} ${JSON.stringify(element.digests)}`
  return [...elements].sort((one, other) => (getKey(one) < getKey(other) ? -1 : 1))
}

async function listAll<Item>(
  parts: EcsParts,
  operation: string,
  input: object,
  field: string,
): Promise<Item[]> {
  const items: Item[] = []
  let next: string | undefined
  do {
    const page = await call<Record<string, unknown>>(parts, operation, {
      ...input,
      maxResults: PAGE,
      ...(next === undefined ? {} : { nextToken: next }),
    })
    items.push(...((page[field] as Item[] | undefined) ?? []))
    next = (page.nextToken as string | null | undefined) ?? undefined
  } while (next !== undefined)
  return items
}

async function call<Answer>(parts: EcsParts, operation: string, input: object): Promise<Answer> {
  const answer = await parts.send({
    service: 'ecs',
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${TARGET}.${operation}` },
    body: JSON.stringify(input),
    credentials: await parts.getCredentials(),
  })
  return JSON.parse((await readBody(answer)).toString('utf8')) as Answer
}
