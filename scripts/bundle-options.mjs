// What every bundle of the server and the command line has in common.

/**
 * Packages that locate files beside their own code: workers, WebAssembly, pages. All others are bundled, because
 * finding their files would take as long as the rest of a start.
 */
export const EXTERNAL_PACKAGES = ['@fastify/swagger-ui', 'jq-wasm', 'pdfkit', 'pino', 'piscina', 'pg-native']
export const REQUIRE = `import { createRequire as nodeRequire } from 'node:module'
const require = nodeRequire(import.meta.url)`
