// The types of bundle-options.mjs.
export const EXTERNAL_PACKAGES: readonly string[]
export const REQUIRE: string
