// Builds the server and the web app. Never in the process that serves: a bundler keeps hundreds of megabytes and a helper
// process for as long as the process that loaded it lives.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const DIST = join(root, 'server', 'dist')
const LOCK_FILE = join(root, 'package-lock.json')
const THIS_FILE = fileURLToPath(import.meta.url)

/**
 * Every other package goes into the bundle, because finding their files takes as long as the rest of a start. These
 * packages locate files beside their own code: workers, WebAssembly, pages.
 */
const FOUND_BY_PATH = ['@fastify/swagger-ui', 'jq-wasm', 'pdfkit', 'pino', 'piscina', 'pg-native']
const REQUIRE = `import { createRequire as nodeRequire } from 'node:module'
const require = nodeRequire(import.meta.url)`

/** What is built: the folders it is built from, the stamp that says which state of them is built, and how to build it. */
const PARTS = [
  { sources: ['server/src'], stamp: join(DIST, '.waybill-built'), build: buildServer },
  { sources: ['web', 'client'], stamp: join(DIST, '.waybill-web-built'), build: buildWeb },
]

/** Whether what is built is up to date with its sources. */
export function isBuilt() {
  return PARTS.every(isUpToDate)
}

export async function buildStale() {
  const stale = PARTS.filter(part => !isUpToDate(part))
  if (stale.length > 0) console.error('Building…')
  for (const part of stale) {
    // A build that fails half-way must not pass for the one before it.
    rmSync(part.stamp, { force: true })
    const built = hashSources(part)
    await part.build()
    writeFileSync(part.stamp, built)
  }
}

function isUpToDate(part) {
  return existsSync(part.stamp) && readFileSync(part.stamp, 'utf8') === hashSources(part)
}

async function buildServer() {
  const { build } = await import('esbuild')
  // Written aside and renamed, so that a service starting meanwhile never reads half a file: what the entry loads has
  // names of its own in every build, and is there before it.
  const aside = join(DIST, `aside-${process.pid}`)
  await build({
    entryPoints: [join(root, 'server', 'src', 'main.ts')],
    outdir: aside,
    bundle: true,
    splitting: true,
    chunkNames: 'part-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: FOUND_BY_PATH,
    // Packages written for `require` load Node's own modules with it.
    banner: { js: REQUIRE },
    // Beside the code, for `node --enable-source-maps`: within it, every start would read it.
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'error',
  })
  const files = readdirSync(aside)
  const entries = files.filter(name => name.startsWith('main.'))
  const parts = files.filter(name => !entries.includes(name))
  const old = readdirSync(DIST).filter(name => name.startsWith('part-') && !parts.includes(name))
  for (const name of [...parts, ...entries]) renameSync(join(aside, name), join(DIST, name))
  for (const name of [...old, basename(aside)]) rmSync(join(DIST, name), { recursive: true })
}

async function buildWeb() {
  // Under a test runner it is `test`, and React would come with everything that helps its developers.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  await build({ configFile: join(root, 'web', 'vite.config.ts'), logLevel: 'error' })
}

/** By relative paths, so that a clone that was moved is still built. */
function hashSources({ sources }) {
  const hash = createHash('sha256')
  for (const file of [...sources.flatMap(folder => listFiles(join(root, folder))), LOCK_FILE, THIS_FILE])
    hash.update(relative(root, file)).update(readFileSync(file))
  return hash.digest('hex')
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath ?? entry.path, entry.name))
    .filter(path => !path.includes('node_modules'))
    .sort()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildStale()
