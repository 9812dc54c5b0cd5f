export const root: string
export function prepare(): void
export function build(): Promise<void>

interface LockedPackage {
  version?: string
  integrity?: string
  optional?: boolean
}
export function holdsAll(
  installed: Record<string, LockedPackage>,
  wanted: Record<string, LockedPackage>,
): boolean
