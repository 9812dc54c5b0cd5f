// The types of version.mjs.
export interface Manifest {
  name?: string
  version?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
export function setVersion(manifest: Manifest, version: string): Manifest
export function setLockVersion(
  lock: { version: string; packages: Record<string, Manifest> },
  version: string,
): { version: string; packages: Record<string, Manifest> }
export function closeSection(changelog: string, version: string, date: string): string
