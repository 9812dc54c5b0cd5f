// The SBOM of a release, as CycloneDX 1.6: generated from our lock files, so that it lists exactly what was built.
import { hash } from './fetch.mjs'

const SPEC = { bomFormat: 'CycloneDX', specVersion: '1.6' }
const SPDX_ID = /^[A-Za-z0-9.+-]+$/

/** `packages` are `{ name, version, integrity, license }` for npm, `debian` are `{ name, version, sha256 }`. */
export function makeSbom({ name, version, mtime, packages, debian = [], arch }) {
  const product = {
    type: 'application',
    'bom-ref': toPackageUrl(name, version),
    name,
    version,
    licenses: [{ license: { id: 'Apache-2.0' } }],
    purl: toPackageUrl(name, version),
  }
  const unique = new Map()
  const components = [...packages.map(toNpmComponent), ...debian.map(each => toDebianComponent(each, arch))]
  for (const component of components) unique.set(component['bom-ref'], component)
  const sorted = [...unique.values()].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  const bom = {
    ...SPEC,
    version: 1,
    metadata: { timestamp: mtime.toISOString(), component: product },
    components: sorted,
    dependencies: [{ ref: product['bom-ref'], dependsOn: sorted.map(each => each['bom-ref']) }],
  }
  return { ...bom, serialNumber: `urn:uuid:${toUuid(hash('sha256', JSON.stringify(bom), 'hex'))}` }
}

function toNpmComponent({ name, version, integrity, license }) {
  const sha512 = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
  return {
    ...toComponent(name, version, toPackageUrl(name, version), { alg: 'SHA-512', content: sha512 }),
    ...(license === undefined ? {} : { licenses: [toLicense(license)] }),
  }
}

function toDebianComponent({ name, version, sha256 }, arch) {
  const debian_arch = arch === 'x64' ? 'amd64' : arch
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${debian_arch}`
  return toComponent(name, version, purl, { alg: 'SHA-256', content: sha256 })
}

function toComponent(name, version, purl, hash) {
  return { type: 'library', 'bom-ref': purl, name, version, purl, hashes: [hash] }
}

/** `(MIT OR Apache-2.0)` is an expression, `MIT` a name. */
function toLicense(license) {
  return SPDX_ID.test(license) ? { license: { id: license } } : { expression: license }
}

export function toPackageUrl(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`
}

/** UUID version 8, whose bits are free to choose: the same contents have the same serial number. */
function toUuid(hex) {
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ]
  return parts.join('-')
}
