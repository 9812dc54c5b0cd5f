export const root: string
/** Packages that the build leaves outside of the programs. */
export const EXTERNAL_PACKAGES: readonly string[]
export const REQUIRE: string
export function isBuilt(): boolean
export function buildStale(): Promise<void>
