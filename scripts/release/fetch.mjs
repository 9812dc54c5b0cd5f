// Fetches the parts of a release from the npm registry and from Debian, and refuses anything that does not match the
// lock files. Kept in a folder that git ignores.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CACHE } from '../run/package-cache.mjs'

const FOLDER = join(CACHE, 'release')
/** The archive of all versions is slower, but has those that the mirror has dropped. */
const DEBIAN_MIRRORS = ['http://deb.debian.org', 'https://snapshot.debian.org/archive']

/** The bytes of each package from the registry, in the order of `packages`: `{ name, version, integrity }`. */
export function fetchPackages(packages) {
  const missing = packages.filter(each => !existsSync(nameFile(each)))
  if (missing.length > 0) downloadPackages(missing)
  return packages.map(each => {
    const bytes = readFileSync(nameFile(each))
    if (hash('sha512', bytes, 'base64') !== each.integrity.replace(/^sha512-/, ''))
      throw new Error(`${each.name}@${each.version} from the registry is not the one of the lock file`)
    return bytes
  })
}

/** A Debian package: `{ archive, file, sha256, snapshot }`. */
export async function fetchDebian({ archive, file, sha256, snapshot }) {
  const path = join(FOLDER, `${sha256}.deb`)
  if (existsSync(path) && hash('sha256', readFileSync(path), 'hex') === sha256) return path
  const urls = [
    `${DEBIAN_MIRRORS[0]}/${archive}/${file}`,
    `${DEBIAN_MIRRORS[1]}/${archive}/${snapshot}/${file}`,
  ]
  for (const url of urls) {
    const response = await fetch(url).catch(() => undefined)
    if (!response?.ok) continue
    const bytes = Buffer.from(await response.arrayBuffer())
    if (hash('sha256', bytes, 'hex') !== sha256) throw new Error(`${url} is not the file of base.lock.json`)
    mkdirSync(FOLDER, { recursive: true })
    await writeFile(path, bytes)
    return path
  }
  throw new Error(`Cannot fetch ${urls.join(' or ')}`)
}

export function hash(algorithm, bytes, encoding) {
  return createHash(algorithm).update(bytes).digest(encoding)
}

function nameFile({ name, version }) {
  return join(FOLDER, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
}

/** Into a temporary folder, so that an interrupted download never looks complete. */
function downloadPackages(packages) {
  mkdirSync(FOLDER, { recursive: true })
  const unfinished = mkdtempSync(join(FOLDER, 'unfinished-'))
  try {
    const specs = packages.map(({ name, version }) => `${name}@${version}`)
    const npm = spawnSync('npm', ['pack', ...specs, '--pack-destination', unfinished, '--loglevel=error'], {
      stdio: ['ignore', 'ignore', 2],
    })
    if (npm.status !== 0) throw new Error('npm could not fetch the packages of the release')
    for (const name of readdirSync(unfinished)) renameSync(join(unfinished, name), join(FOLDER, name))
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}
