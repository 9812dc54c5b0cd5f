// Extracts the images that a pod's containers run from the status that the cluster gives. One element for
// each container, so that two with the same image name and different digests stay separate.
import { dropMissing } from '../../lib/drop-missing.ts'

export interface Pod {
  metadata?: {
    name?: string
    namespace?: string
    uid?: string
    creationTimestamp?: string
    ownerReferences?: readonly Record<string, unknown>[]
    resourceVersion?: string
  }
  status?: {
    phase?: string
    containerStatuses?: readonly ContainerStatus[]
    initContainerStatuses?: readonly ContainerStatus[]
    ephemeralContainerStatuses?: readonly ContainerStatus[]
  }
}

interface ContainerStatus {
  name?: string
  image?: string
  imageID?: string
  state?: { running?: { startedAt?: string }; waiting?: object; terminated?: object }
}

interface PodElement {
  podName: string
  namespace: string
  digests: Record<string, string>
  creationTimestamp: number
  owners: readonly Record<string, unknown>[] | null
}

export interface SeenPods {
  elements: PodElement[]
  /** Containers whose digest is unknown, with the reason. */
  unresolved: string[]
}

/** Contains only what a report needs: a cluster has thousands of pods with long descriptions. */
export function trimPod({ metadata = {}, status = {} }: Pod): Pod {
  const { name, namespace, uid, creationTimestamp, ownerReferences, resourceVersion } = metadata
  const { phase, containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = status
  return {
    metadata: dropMissing({ name, namespace, uid, creationTimestamp, ownerReferences, resourceVersion }),
    status: dropMissing({
      phase,
      containerStatuses: containerStatuses?.map(trimStatus),
      initContainerStatuses: initContainerStatuses?.map(trimStatus),
      ephemeralContainerStatuses: ephemeralContainerStatuses?.map(trimStatus),
    }),
  }
}

const trimStatus = ({ name, image, imageID, state }: ContainerStatus): ContainerStatus =>
  dropMissing({ name, image, imageID, state })

const MANIFEST = /@sha256:([0-9a-f]{64})$/
const ENDED = new Set(['Succeeded', 'Failed'])

export function describePods(pods: readonly Pod[]): SeenPods {
  const seen: SeenPods = { elements: [], unresolved: [] }
  for (const pod of pods) {
    if (ENDED.has(pod.status?.phase ?? '')) continue
    for (const status of listContainers(pod)) describeContainer(pod, status, seen)
  }
  return seen
}

/**
 * Containers that start with the pod count as long as the pod lives, because they run again when it restarts.
 * Debug containers never restart, so they count only while they run.
 */
function listContainers({ status = {} }: Pod): ContainerStatus[] {
  const debugging = (status.ephemeralContainerStatuses ?? []).filter(
    ({ state }) => state?.running !== undefined,
  )
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? []), ...debugging]
}

function describeContainer(pod: Pod, status: ContainerStatus, seen: SeenPods): void {
  const { name = '', namespace = '', ownerReferences, creationTimestamp } = pod.metadata ?? {}
  const { image = '', imageID = '' } = status
  const place = `${namespace}/${name}/${status.name ?? ''}`
  // Not started yet: the cluster has not pulled its image.
  if (imageID === '') return
  const digest = MANIFEST.exec(imageID)?.[1]
  if (digest === undefined) {
    // The digest of an image config. It would be mistaken for a manifest digest and match nothing.
    seen.unresolved.push(
      `${place}: the node knows only the image id ${imageID}, not the digest of its manifest`,
    )
    return
  }
  seen.elements.push({
    podName: name,
    namespace,
    digests: { [image === '' ? imageID : image]: digest },
    creationTimestamp: toSeconds(status.state?.running?.startedAt ?? creationTimestamp),
    owners: ownerReferences ?? null,
  })
}

function toSeconds(time: string | undefined): number {
  const ms = Date.parse(time ?? '')
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000)
}
