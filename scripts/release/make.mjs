// Makes all files of a release. Started by scripts/release/release.mjs, with the Node that the release contains.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildStale, root } from '../run/build.mjs'
import { writeClientTypes } from '../run/run-step.mjs'
import { listBase } from './base.mjs'
import { listClientFiles } from './client-package.mjs'
import { compress, moveInto, packTar } from './entries.mjs'
import { hash } from './fetch.mjs'
import { makeLayers, packImage } from './image.mjs'
import { listNeeded, readLock } from './lock.mjs'
import { writeNotes } from './notes.mjs'
import { listBundled } from './notices.mjs'
import { base_lock, describePostgres, listProduct } from './product.mjs'
import { listDependencies, listProgramFiles, toJson } from './program-package.mjs'
import { makeProvenance } from './provenance.mjs'
import { makeSbom } from './sbom.mjs'
import { chooseVersion, readSource } from './source.mjs'

const ARCHITECTURES = ['x64', 'arm64']
const LOCK_FILES = ['package-lock.json', 'scripts/release/base.lock.json']

const { values } = parseArgs({
  options: { version: { type: 'string' }, to: { type: 'string' }, 'allow-changes': { type: 'boolean' } },
})
const source = readSource()
if (source.isDirty && !values['allow-changes']) {
  console.error(
    'Commit your changes first: a release is made from a commit. To try it all the same: --allow-changes',
  )
  process.exit(1)
}
const version = chooseVersion(values.version)
const folder = values.to ?? join(root, 'dist', version)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
await buildStale()
writeClientTypes()
const files = []
await writePackages()
await writePlatforms()
writeSboms()
writeNotesFile()
writeProvenance()
writeFileSync(join(folder, 'SHA256SUMS'), files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''))
for (const { name, size } of files) console.log(`${(size / 1e6).toFixed(1).padStart(7)} MB  ${name}`)
console.log(`Wrote ${folder}`)

function writeAsset(name, bytes) {
  writeFileSync(join(folder, name), bytes)
  files.push({ name, sha256: hash('sha256', bytes, 'hex'), size: bytes.length })
  files.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function writePackages() {
  const { mtime } = source
  const packages = { waybill: listProgramFiles(version), 'waybill-client': listClientFiles(version) }
  for (const [name, entries] of Object.entries(packages)) {
    const bytes = await packTar(moveInto('package', entries), { mtime, folders: false })
    writeAsset(`${name}-${version}.tgz`, await compress(bytes))
  }
}

async function writePlatforms() {
  const { mtime } = source
  const images = []
  for (const arch of ARCHITECTURES) {
    const product = await listProduct(version, arch)
    const name = `waybill-${version}-linux-${arch}`
    const entries = moveInto(name, [...product.program, ...product.postgres, ...product.runtime])
    writeAsset(`${name}.tar.gz`, await compress(await packTar(entries, { mtime })))
    images.push({ arch, layers: await makeLayers({ base: await listBase(arch), ...product }, mtime) })
  }
  writeAsset(`waybill-${version}-image.tar`, await packImage(images, { version, ...source }))
}

function writeSboms() {
  const about = { name: 'waybill', version, mtime: source.mtime }
  const packages = listBundled(readLock())
  writeAsset(`waybill-${version}.cdx.json`, Buffer.from(toJson(makeSbom({ ...about, packages }))))
  for (const arch of ARCHITECTURES) {
    const more = [describePostgres(readLock(), arch), { ...base_lock.node[arch], license: 'MIT' }]
    const sbom = makeSbom({
      ...about,
      arch,
      packages: [...packages, ...more],
      debian: base_lock.debian[arch],
    })
    writeAsset(`waybill-${version}-linux-${arch}.cdx.json`, Buffer.from(toJson(sbom)))
  }
}

function writeNotesFile() {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  writeAsset('RELEASE_NOTES.md', Buffer.from(writeNotes(changelog, version)))
}

function writeProvenance() {
  const packages = readLock()
  const lock_hashes = LOCK_FILES.map(name => ({
    name,
    sha256: hash('sha256', readFileSync(join(root, name)), 'hex'),
  }))
  const fetched = [
    ...listNeeded(packages, listDependencies(packages)),
    ...ARCHITECTURES.flatMap(arch => [
      describePostgres(packages, arch),
      base_lock.node[arch],
      ...base_lock.debian[arch],
    ]),
  ]
  const node = process.versions.node
  const statement = makeProvenance({ version, ...source, node, files, lock_hashes, fetched })
  writeAsset(`waybill-${version}.provenance.json`, Buffer.from(toJson(statement)))
}
