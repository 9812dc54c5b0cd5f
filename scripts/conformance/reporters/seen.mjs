// The data that both clients' reporters observe, and the entries in which their reports differ on purpose.
const digest = letter => letter.repeat(64)
const repo = name => `registry.example.com/${name}`
/** In seconds, as in reports. */
export const POD_CREATED = 1767323040
export const CONTAINER_STARTED = 1767323045
const CREATED = '2026-01-02T03:04:00Z'
const STARTED = '2026-01-02T03:04:05Z'

function makePod(name, status, phase = 'Running') {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: '7', controller: true }
  return {
    metadata: { name, namespace: 'shop', uid: name, creationTimestamp: CREATED, ownerReferences: [owner] },
    spec: { containers: [] },
    status: { phase, startTime: CREATED, ...status },
  }
}

function makeStatus(name, image_id, image = `${repo(name)}:1`) {
  const state = image_id === '' ? { waiting: {} } : { running: { startedAt: STARTED } }
  return { name, image, imageID: image_id, ready: true, restartCount: 0, state }
}

const pulled = (name, letter) => makeStatus(name, `${repo(name)}@sha256:${digest(letter)}`)

export const PODS = [
  makePod('plain', { containerStatuses: [pulled('plain', 'a')] }),
  makePod('docker', {
    containerStatuses: [makeStatus('old', `docker-pullable://${repo('old')}@sha256:${digest('b')}`)],
  }),
  makePod('two', { containerStatuses: [pulled('two', 'c'), { ...pulled('two', 'd'), name: 'canary' }] }),
  makePod('init', { initContainerStatuses: [pulled('init', 'e')], containerStatuses: [pulled('main', 'f')] }),
  makePod('debug', {
    containerStatuses: [pulled('app', '1')],
    ephemeralContainerStatuses: [pulled('debugger', '2')],
  }),
  makePod('local', { containerStatuses: [makeStatus('local', `sha256:${digest('3')}`)] }),
  makePod('ended', { containerStatuses: [pulled('job', '4')] }, 'Succeeded'),
  makePod('failed', { containerStatuses: [pulled('crash', '5')] }, 'Failed'),
  makePod('waiting', { containerStatuses: [makeStatus('new', '')] }, 'Pending'),
]

export const ENGINE = {
  containers: [
    {
      Id: '1',
      Names: ['/web'],
      Image: `${repo('web')}:1`,
      ImageID: 'sha256:web',
      Created: 1767323045,
      State: 'running',
    },
    {
      Id: '2',
      Names: ['/two'],
      Image: `${repo('web')}:1`,
      ImageID: 'sha256:web',
      Created: 1767323046,
      State: 'running',
    },
    {
      Id: '3',
      Names: ['/moved'],
      Image: `${repo('mirror')}:1`,
      ImageID: 'sha256:moved',
      Created: 1767323047,
      State: 'running',
    },
    {
      Id: '4',
      Names: ['/built'],
      Image: 'built:dev',
      ImageID: 'sha256:built',
      Created: 1767323048,
      State: 'running',
    },
  ],
  images: [
    {
      Id: 'sha256:web',
      RepoTags: [`${repo('web')}:1`],
      RepoDigests: [`${repo('web')}@sha256:${digest('a')}`],
    },
    {
      Id: 'sha256:moved',
      RepoTags: [`${repo('mirror')}:1`],
      RepoDigests: [`${repo('first')}@sha256:${digest('b')}`, `${repo('mirror')}@sha256:${digest('c')}`],
    },
    { Id: 'sha256:built', RepoTags: ['built:dev'], RepoDigests: [] },
  ],
}

export const FILES = {
  'site/index.html': '<p>hello</p>\n',
  'site/log/today.txt': 'noise\n',
  tool: 'a tool\n',
}
export const PATHS_FILE =
  'version: 1\nartifacts:\n  site: { path: site, exclude: [log] }\n  tool: { path: tool }\n'

const inPod = (pod, name, letter) => `shop/${pod} of web ${repo(name)}:1 ${letter.repeat(8)}`

/** Entries in only one of the reports, each with the reason. Any other difference fails the command. */
export const DIFFERENCES = {
  k8s: [
    {
      why: 'Two containers of one image name with different digests are two. Theirs keeps the last one.',
      entries: [`ours ${inPod('two', 'two', 'c')}`],
    },
    { why: 'Init containers run too.', entries: [`ours ${inPod('init', 'init', 'e')}`] },
    { why: 'So do debug containers.', entries: [`ours ${inPod('debug', 'debugger', '2')}`] },
    {
      why: 'An image that was not pulled has no digest of a manifest. Theirs reports the digest of its configuration instead.',
      entries: [
        `theirs ${inPod('local', 'local', '3')}`,
        `ours missing shop/local/local: the node knows only the image id sha256:${digest('3')}, not the digest of its manifest`,
      ],
    },
    { why: 'A pod that has failed runs no more.', entries: [`theirs ${inPod('failed', 'crash', '5')}`] },
  ],
  docker: [
    {
      why: 'A container that has no digest is named. Theirs leaves it out without a word.',
      entries: [
        'ours missing container built: the image built:dev was built here and never pushed, so it has no digest',
      ],
    },
  ],
  paths: [],
}
