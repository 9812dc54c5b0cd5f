// Instance details of one running artifact, from the elements that reported them. The order of the elements never
// matters.

import { toCanonicalJson } from './canonical.ts'
import type {
  AppContext,
  EnvironmentType,
  InstancesDetail,
  PodDetail,
  ReportElement,
  RunContext,
  TaskContext,
} from './reported.ts'
import { compareText } from './text-order.ts'

export function describeInstances(
  type: EnvironmentType,
  elements: readonly ReportElement[],
): InstancesDetail {
  return {
    creation_timestamps: elements.map(element => element.creationTimestamp).sort((a, b) => a - b),
    pods: type === 'K8S' ? buildPods(elements) : null,
    container_task_context:
      type === 'ECS'
        ? pickFirst(elements.map(buildTask), ['task_arn', 'cluster_name', 'service_name'])
        : null,
    serverless_run_context:
      type === 'cloud-run'
        ? pickFirst(elements.map(buildRun), ['service_name', 'revision_name', 'job_name', 'kind'])
        : null,
    app_context:
      type === 'cloudx-apps'
        ? pickFirst(elements.map(buildApp), ['app_name', 'app_kind', 'digests_source'])
        : null,
    ...describeAlternates(elements),
  }
}

function describeAlternates(elements: readonly ReportElement[]): Pick<InstancesDetail, 'alternate_digests'> {
  const digests = new Set(elements.flatMap(({ alternate_digests = [] }) => alternate_digests))
  return digests.size === 0 ? {} : { alternate_digests: [...digests].sort() }
}

interface Pod {
  name: string
  detail: PodDetail
}

function buildPods(elements: readonly ReportElement[]): Record<string, PodDetail> {
  const [first, second] = elements
  // Most artifacts of a large report have one pod, which needs neither sorting nor comparison.
  if (first && !second) return Object.fromEntries([toEntry(buildPod(first))])
  const pods = elements.map(buildPod).sort(comparePods)
  const namespaces = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (const { name, detail } of pods) {
    const other = namespaces.get(name)
    if (other === undefined) namespaces.set(name, detail.namespace)
    else if (other !== detail.namespace) ambiguous.add(name)
  }
  return Object.fromEntries(
    pods.map(({ name, detail }) =>
      toEntry({ name: ambiguous.has(name) ? `${detail.namespace}/${name}` : name, detail }),
    ),
  )
}

const toEntry = ({ name, detail }: Pod): [string, PodDetail] => [name, detail]

function buildPod(element: ReportElement): Pod {
  return {
    name: element.podName ?? '',
    detail: {
      namespace: element.namespace ?? '',
      creationTimestamp: element.creationTimestamp,
      owners: [...(element.owners ?? [])],
    },
  }
}

// A pod that is reported twice is shown once, so the order must distinguish the two, down to the owners.
function comparePods(a: Pod, b: Pod): number {
  return (
    compareText(a.name, b.name) ||
    compareText(a.detail.namespace, b.detail.namespace) ||
    a.detail.creationTimestamp - b.detail.creationTimestamp ||
    compareText(toCanonicalJson(a.detail.owners), toCanonicalJson(b.detail.owners))
  )
}

function buildTask(element: ReportElement): TaskContext {
  return {
    task_arn: element.taskArn ?? '',
    cluster_name: element.cluster_name || null,
    service_name: element.service_name || null,
  }
}

function buildRun(element: ReportElement): RunContext {
  return {
    kind: element.kind || null,
    revision_name: element.revisionName || null,
    service_name: element.serviceName || null,
    job_name: element.jobName || null,
  }
}

function buildApp(element: ReportElement): AppContext {
  return {
    app_name: element.app_name ?? '',
    app_kind: element.app_kind ?? '',
    digests_source: element.digests_source ?? '',
  }
}

// `keys` are all keys of the context, most significant first.
function pickFirst<Key extends string, Context extends Record<Key, string | null>>(
  contexts: readonly Context[],
  keys: readonly Key[],
): Context | null {
  const isBefore = (a: Context, b: Context): boolean => {
    const key = keys.find(key => a[key] !== b[key])
    return key !== undefined && compareText(a[key] ?? '', b[key] ?? '') < 0
  }
  let found: Context | null = null
  for (const context of contexts) if (found === null || isBefore(context, found)) found = context
  return found
}
