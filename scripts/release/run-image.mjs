// Runs a release's image without a container engine, as strictly as an engine would: with its own user, a read-only
// root, no capabilities, and only /data and /tmp writable. Uses `runc`; the network is the machine's.
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { USER_ID } from './base.mjs'

const NAMESPACES = ['pid', 'ipc', 'uts', 'mount'].map(type => ({ type }))
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' }

/** Unpacks the image for the platform into `folder`/rootfs. Returns its settings. */
export function unpackImage(file, arch, folder) {
  const layout = join(folder, 'layout')
  const rootfs = join(folder, 'rootfs')
  for (const path of [layout, rootfs]) mkdirSync(path, { recursive: true })
  runTar(['-xf', file, '-C', layout])
  const getPath = ({ digest }) => join(layout, 'blobs', digest.replace(':', '/'))
  const read = descriptor => JSON.parse(readFileSync(getPath(descriptor), 'utf8'))
  const { manifests } = read(JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')).manifests[0])
  const named = manifests.find(({ platform }) => platform.architecture === ARCHITECTURES[arch])
  const { config, layers } = read(named)
  for (const layer of layers) runTar(['-xzpf', getPath(layer), '-C', rootfs, '--numeric-owner'])
  return read(config).config
}

/**
 * Starts a container: `{ process, data, exec }`. `env` adds to the image's variables. A container with the name of an
 * earlier one gets its data.
 */
export function startContainer(folder, name, { settings, env = [], args = settings.Cmd }) {
  const bundle = join(folder, name)
  const data = join(bundle, 'data')
  mkdirSync(data, { recursive: true })
  chownSync(data, USER_ID, USER_ID)
  const spec = describeContainer(join(folder, 'rootfs'), { settings, env, args, data })
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(spec))
  const state = ['--root', join(folder, 'state')]
  const container = spawn('runc', [...state, 'run', '--bundle', bundle, name], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return {
    process: container,
    data,
    exec: command => spawnSync('runc', [...state, 'exec', name, ...command], { encoding: 'utf8' }),
  }
}

function describeContainer(rootfs, { settings, env, args, data }) {
  const none = { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] }
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid: USER_ID, gid: USER_ID },
      args: [...settings.Entrypoint, ...args],
      env: [...settings.Env, ...env],
      cwd: settings.WorkingDir,
      capabilities: none,
      noNewPrivileges: true,
    },
    root: { path: rootfs, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
      { destination: '/dev/shm', type: 'tmpfs', source: 'shm', options: ['nosuid', 'nodev', 'mode=1777'] },
      {
        destination: '/tmp',
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'nodev', 'noexec', 'mode=1777'],
      },
      {
        destination: '/data',
        type: 'bind',
        source: data,
        options: ['bind', 'rw', 'nosuid', 'nodev', 'noexec'],
      },
    ],
    linux: { namespaces: NAMESPACES },
  }
}

function runTar(args) {
  const done = spawnSync('tar', args, { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`tar failed: ${done.stderr}`)
}
