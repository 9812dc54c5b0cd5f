// The types of notices.mjs.
import type { LockedPackage, NeededPackage } from './lock.mjs'

export function listBundled(packages: Record<string, LockedPackage>): NeededPackage[]
export function writeNotices(bundled: NeededPackage[]): string
