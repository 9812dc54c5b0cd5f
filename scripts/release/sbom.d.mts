// The types of sbom.mjs.
import type { NeededPackage } from './lock.mjs'

export interface Component {
  'bom-ref': string
  name: string
  version: string
  purl: string
  hashes?: { alg: string; content: string }[]
  licenses?: unknown[]
}
export interface Sbom {
  bomFormat: string
  specVersion: string
  serialNumber: string
  metadata: { timestamp: string; component: Component }
  components: Component[]
}
export function makeSbom(contents: {
  name: string
  version: string
  mtime: Date
  packages: Omit<NeededPackage, 'path'>[]
  debian?: { name: string; version: string; sha256: string }[]
  arch?: string
}): Sbom
