// The types of provenance.mjs.
interface Fetched {
  name?: string
  version?: string
  integrity?: string
  archive?: string
  file?: string
  sha256?: string
}
interface Named {
  name: string
  sha256: string
}
export interface Provenance {
  _type: string
  subject: { name: string; digest: { sha256: string } }[]
  predicateType: string
  predicate: { buildDefinition: { resolvedDependencies: unknown[] } }
}
export function makeProvenance(release: {
  version: string
  commit: string
  isDirty: boolean
  node: string
  files: Named[]
  lock_hashes: Named[]
  fetched: Fetched[]
}): Provenance
