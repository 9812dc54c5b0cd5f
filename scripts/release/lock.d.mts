// The types of lock.mjs.
export interface LockedPackage {
  version?: string
  integrity?: string
  license?: string
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
export interface NeededPackage {
  path: string
  name: string
  version: string
  integrity: string
  license?: string
}
export function readLock(): Record<string, LockedPackage>
export function listNeeded(
  packages: Record<string, LockedPackage>,
  names: string[],
  from?: string,
): NeededPackage[]
