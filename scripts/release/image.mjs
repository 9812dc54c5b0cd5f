// The container image as an OCI layout in one tar, for linux/amd64 and linux/arm64. Written without a container
// engine: a layer is a tar, and everything else is JSON that refers to other files by hash.
import { USER_ID } from './base.mjs'
import { compress, makeFile, moveInto, packTar } from './entries.mjs'
import { hash } from './fetch.mjs'

const FOLDER = 'opt/waybill'
const RUN = [`/${FOLDER}/runtime/node`, '--max-semi-space-size=64', `/${FOLDER}/lib/waybill/dist/main.js`]
const OCI = 'application/vnd.oci.image'
const OCI_ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' }
const SECOND_NS = 1_000_000_000

/** The default configuration of the image's containers. */
export const IMAGE_SETTINGS = {
  User: `${USER_ID}:${USER_ID}`,
  ExposedPorts: { '8001/tcp': {} },
  Env: [
    `PATH=/${FOLDER}/bin:/usr/bin`,
    // A container that listens on its loopback address is unreachable. Everywhere else that address is the default.
    'HOST=0.0.0.0',
    'NODE_ENV=production',
    // A subfolder of the volume: its root belongs to whoever created the volume.
    'WAYBILL_DATA_DIR=/data/waybill',
  ],
  Entrypoint: RUN,
  Cmd: ['serve'],
  WorkingDir: '/data',
  // Includes /tmp, where the embedded PostgreSQL has its socket: the root may be read-only.
  Volumes: { '/data': {}, '/tmp': {} },
  StopSignal: 'SIGTERM',
  Healthcheck: {
    Test: ['CMD', RUN[0], `/${FOLDER}/lib/health-check.mjs`],
    Interval: 10 * SECOND_NS,
    Timeout: 5 * SECOND_NS,
    StartPeriod: 60 * SECOND_NS,
    Retries: 3,
  },
}

/** A layer of entries: `{ bytes, descriptor, diff_id, comment }`. */
export async function makeLayer(comment, entries, mtime) {
  const unpacked = await packTar(entries, { mtime })
  const bytes = await compress(unpacked)
  return {
    comment,
    bytes,
    diff_id: digest(unpacked),
    descriptor: describe(`${OCI}.layer.v1.tar+gzip`, bytes),
  }
}

/** The layers of the product, from rarely changing ones to those that change with every release. */
export async function makeLayers({ base, runtime, postgres, program }, mtime) {
  const place = entries => moveInto(FOLDER, entries)
  return Promise.all([
    makeLayer('packages of Debian', base, mtime),
    makeLayer('Node', place(runtime), mtime),
    makeLayer('PostgreSQL', place(postgres), mtime),
    makeLayer('Waybill', place(program), mtime),
  ])
}

/** `images` contains the layers for each platform. Returns the bytes of the tar. */
export async function packImage(images, { version, commit, mtime }) {
  const blobs = new Map()
  const add = (media_type, bytes, more = {}) => {
    const descriptor = { ...describe(media_type, bytes), ...more }
    blobs.set(descriptor.digest, bytes)
    return descriptor
  }
  const annotations = describeRelease({ version, commit, mtime })
  const manifests = images.map(({ arch, layers }) => {
    for (const { descriptor, bytes } of layers) blobs.set(descriptor.digest, bytes)
    const config = add(`${OCI}.config.v1+json`, toBytes(describeConfig(arch, layers, { annotations, mtime })))
    const manifest = {
      schemaVersion: 2,
      mediaType: `${OCI}.manifest.v1+json`,
      config,
      layers: layers.map(({ descriptor }) => descriptor),
      annotations,
    }
    const platform = { architecture: OCI_ARCHITECTURES[arch], os: 'linux' }
    return add(manifest.mediaType, toBytes(manifest), { platform })
  })
  const index = { schemaVersion: 2, mediaType: `${OCI}.index.v1+json`, manifests, annotations }
  const named = add(index.mediaType, toBytes(index), {
    annotations: {
      'org.opencontainers.image.ref.name': version,
      'io.containerd.image.name': `waybill:${version}`,
    },
  })
  const entries = [
    makeFile('oci-layout', toBytes({ imageLayoutVersion: '1.0.0' })),
    makeFile(
      'index.json',
      toBytes({ schemaVersion: 2, mediaType: `${OCI}.index.v1+json`, manifests: [named] }),
    ),
    ...[...blobs].map(([name, bytes]) => makeFile(`blobs/${name.replace(':', '/')}`, bytes)),
  ]
  return packTar(entries, { mtime })
}

function describeConfig(arch, layers, { annotations, mtime }) {
  const created = mtime.toISOString()
  return {
    created,
    architecture: OCI_ARCHITECTURES[arch],
    os: 'linux',
    config: { ...IMAGE_SETTINGS, Labels: annotations },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diff_id }) => diff_id) },
    history: layers.map(({ comment }) => ({ created, created_by: 'npm run release', comment })),
  }
}

function describeRelease({ version, commit, mtime }) {
  return {
    'org.opencontainers.image.created': mtime.toISOString(),
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.revision': commit,
    'org.opencontainers.image.title': 'Waybill',
    'org.opencontainers.image.version': version,
  }
}

function describe(media_type, bytes) {
  return { mediaType: media_type, digest: digest(bytes), size: bytes.length }
}

function digest(bytes) {
  return `sha256:${hash('sha256', bytes, 'hex')}`
}

function toBytes(value) {
  return Buffer.from(JSON.stringify(value))
}
