export const root: string
export function prepare(): void
export function build(): Promise<void>

interface LockedPackage {
  version?: string
  integrity?: string
  optional?: boolean
}
export function hasAllPackages(
  installed: Record<string, LockedPackage>,
  required: Record<string, LockedPackage>,
): boolean
