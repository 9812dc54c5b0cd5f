// Creates pods in a real API server: the objects through the API, and their status as a node would write it.

const digest = letter => letter.repeat(64)

/** `containers`, `init`: name, image and id of each, as in the status. */
export async function setPod(cluster, { namespace, name, phase = 'Running', containers, init = [] }) {
  const path = `/api/v1/namespaces/${namespace}/pods`
  const toSpec = each => ({ name: each.name, image: each.image })
  const body = {
    metadata: { name },
    spec: { nodeName: 'node-1', containers: containers.map(toSpec), initContainers: init.map(toSpec) },
  }
  await cluster.call('POST', path, body).catch(error => {
    if (!error.message.includes('AlreadyExists')) throw error
  })
  const status = {
    phase,
    containerStatuses: containers.map(toStatus),
    initContainerStatuses: init.map(toStatus),
  }
  await cluster.call('PATCH', `${path}/${name}/status`, { status }, 'application/merge-patch+json')
}

export async function removePod(cluster, namespace, name) {
  // No node exists to confirm that it has stopped.
  await cluster.call('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}?gracePeriodSeconds=0`)
}

function toStatus({ name, image, image_id }) {
  return {
    name,
    image,
    imageID: image_id,
    ready: true,
    restartCount: 0,
    state: image_id === '' ? { waiting: {} } : { running: { startedAt: '2026-01-02T03:04:05Z' } },
  }
}

export function run(name, letter) {
  const image = `registry.example.com/${name}`
  return { name, image: `${image}:1`, image_id: letter === '' ? '' : `${image}@sha256:${digest(letter)}` }
}

/** A user who may see only the pods of one namespace. */
export async function allowOneNamespace(cluster, user, namespace) {
  const base = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }]
  await cluster.call('POST', `${base}/roles`, { metadata: { name: 'reporter' }, rules })
  await cluster.call('POST', `${base}/rolebindings`, {
    metadata: { name: 'reporter' },
    subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
    roleRef: { kind: 'Role', name: 'reporter', apiGroup: 'rbac.authorization.k8s.io' },
  })
}
