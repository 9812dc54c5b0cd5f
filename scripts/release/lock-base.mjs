// `npm run release -- base`: writes base.lock.json, the Node and the Debian packages that images and tarballs
// contain, with their hashes. Checks the signature of Debian's lists with `gpgv`. Run it to take security updates.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE_VERSIONS } from '../run/versions.mjs'
import { hash } from './fetch.mjs'

const LOCK_FILE = join(import.meta.dirname, 'base.lock.json')
const MIRROR = 'http://deb.debian.org'
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
const RELEASE = 'trixie'
const LISTS = [
  { archive: 'debian', suite: RELEASE },
  { archive: 'debian', suite: `${RELEASE}-updates` },
  { archive: 'debian-security', suite: `${RELEASE}-security` },
]
/** Node needs the C and C++ libraries, and PostgreSQL's initdb runs its programs with a shell. */
const PACKAGES = [
  'base-files',
  'dash',
  'gcc-14-base',
  'libc6',
  'libgcc-s1',
  'libstdc++6',
  'netbase',
  'tzdata',
]
const PLATFORMS = [
  { arch: 'x64', debian_arch: 'amd64' },
  { arch: 'arm64', debian_arch: 'arm64' },
]

const version = NODE_VERSIONS.at(-1)
const snapshot = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
const lock = { node: { version }, debian: { release: RELEASE, snapshot } }
for (const { arch, debian_arch } of PLATFORMS) {
  lock.node[arch] = {
    name: `node-linux-${arch}`,
    version,
    integrity: viewIntegrity(`node-linux-${arch}@${version}`),
  }
  lock.debian[arch] = await findPackages(debian_arch)
}
writeFileSync(LOCK_FILE, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`Wrote ${LOCK_FILE}`)

function viewIntegrity(spec) {
  const npm = spawnSync('npm', ['view', spec, 'dist.integrity'], { encoding: 'utf8' })
  if (npm.status !== 0) throw new Error(npm.stderr)
  return npm.stdout.trim()
}

/** The newest version of each package in any of the lists. */
async function findPackages(debian_arch) {
  const newest = new Map()
  for (const list of LISTS) {
    for (const found of await readList(list, debian_arch)) {
      const before = newest.get(found.name)
      if (before === undefined || isNewer(found.version, before.version)) newest.set(found.name, found)
    }
  }
  return PACKAGES.map(name => {
    const found = newest.get(name)
    if (found === undefined) throw new Error(`Debian ${RELEASE} has no ${name} for ${debian_arch}`)
    return found
  })
}

async function readList({ archive, suite }, debian_arch) {
  const base = `${MIRROR}/${archive}/dists/${suite}`
  const name = `main/binary-${debian_arch}/Packages.xz`
  const listed = findHash(verify(await download(`${base}/InRelease`)), name)
  const packed = await download(`${base}/${name}`)
  if (hash('sha256', packed, 'hex') !== listed) throw new Error(`${base}/${name} is not the signed one`)
  return unpack(packed)
    .split('\n\n')
    .map(text =>
      Object.fromEntries([...text.matchAll(/^([\w-]+): (.*)$/gm)].map(([, key, value]) => [key, value])),
    )
    .filter(fields => PACKAGES.includes(fields.Package))
    .map(fields => ({
      name: fields.Package,
      version: fields.Version,
      archive,
      file: fields.Filename,
      sha256: fields.SHA256,
    }))
}

async function download(url) {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}

function unpack(packed) {
  const xz = spawnSync('xz', ['--decompress', '--stdout'], {
    input: packed,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  if (xz.status !== 0) throw new Error(`xz failed: ${xz.stderr}`)
  return xz.stdout
}

/** Returns the signed text. */
function verify(signed) {
  const gpgv = spawnSync('gpgv', ['--keyring', KEYRING, '--output', '-'], { input: signed, encoding: 'utf8' })
  if (gpgv.status !== 0) throw new Error(`The signature of Debian's list is not valid: ${gpgv.stderr}`)
  return gpgv.stdout
}

function findHash(text, name) {
  const hashes = text.slice(text.indexOf('SHA256:'))
  const line = hashes.split('\n').find(each => each.endsWith(` ${name}`))
  if (line === undefined) throw new Error(`The list has no ${name}`)
  return line.trim().split(/\s+/)[0]
}

function isNewer(version, than) {
  return spawnSync('dpkg', ['--compare-versions', version, 'gt', than]).status === 0
}
