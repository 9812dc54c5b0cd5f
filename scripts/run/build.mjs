// Builds the server with the API document, the web app and the command line. Never runs in the process of the service, because a bundler keeps hundreds of
// megabytes and a helper process until the process that loaded it exits.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { EXTERNAL_PACKAGES, REQUIRE, REQUIRE_LATE } from './bundle-options.mjs'
import { makeFewParts } from './few-parts.mjs'

const HERE = dirname(fileURLToPath(import.meta.url))
export const root = dirname(dirname(HERE))

const DIST = join(root, 'server', 'dist')
const CLI_DIST = join(root, 'cli', 'dist')
/** The API document, as the built server prints it. */
export const OPENAPI = join(DIST, 'openapi.json')
const LOCK_FILE = join(root, 'package-lock.json')
const THIS_FILE = fileURLToPath(import.meta.url)
const OPTION_FILES = ['bundle-options.mjs', 'few-parts.mjs'].map(name => join(HERE, name))

const MAX_OPENAPI_BYTES = 64 * 1024 * 1024

/** The program, and the code of its thread for large reports. */
const ENTRIES = {
  main: join(root, 'server', 'src', 'main.ts'),
  'report-worker': join(root, 'server', 'src', 'large-reports', 'worker.ts'),
}

/** Loaded by every command line, and by every command that runs. */
const CLI_SHARED = ['run.ts', 'command.ts', 'run-command.ts'].map(name =>
  join(root, 'cli', 'src', 'program', name),
)

/** Rules and checks of the service that commands use too. */
const SHARED_WITH_CLI = ['domain', 'events', 'lib', 'verifier'].map(folder => join('server', 'src', folder))

/**
 * Each part has its source folders, a stamp file with the hash of the built sources, and a build function. The command line
 * comes last, because the server's API document is one of its sources.
 */
const PARTS = [
  { sources: ['server/src', 'packages'], stamp: join(DIST, '.waybill-built'), build: buildServer },
  { sources: ['web', 'client/index.ts'], stamp: join(DIST, '.waybill-web-built'), build: buildWeb },
  {
    sources: ['cli/src', 'packages', ...SHARED_WITH_CLI, relative(root, OPENAPI)],
    stamp: join(CLI_DIST, '.waybill-built'),
    build: buildCli,
  },
]

/** Returns whether the build is up to date with the sources. */
export function isBuilt() {
  return PARTS.every(isUpToDate)
}

export async function buildStale() {
  let isFirst = true
  for (const part of PARTS) {
    if (isUpToDate(part)) continue
    if (isFirst) console.error('Building…')
    isFirst = false
    // A build that fails must not look like the previous one.
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
  await bundleProgram(DIST, ENTRIES, { banner: { js: REQUIRE } })
  const printed = spawnSync(process.execPath, [join(DIST, 'main.js'), 'openapi'], {
    stdio: ['ignore', 'pipe', 2],
    maxBuffer: MAX_OPENAPI_BYTES,
  })
  if (printed.status !== 0) throw new Error('The server did not print its API document')
  writeFileSync(OPENAPI, printed.stdout)
}

async function buildCli() {
  // Names stay, for stack traces.
  const smaller = { minifyWhitespace: true, minifySyntax: true }
  mkdirSync(CLI_DIST, { recursive: true })
  writeFileSync(join(CLI_DIST, 'package.json'), describeCli('@waybill/server/dist/main.js'))
  await writeCommandIndex()
  await bundleProgram(CLI_DIST, { main: join(root, 'cli', 'src', 'main.ts') }, smaller, {
    shared: CLI_SHARED,
    finish: toCommonJs,
  })
}

/** The program loads this at startup instead of all commands. */
async function writeCommandIndex() {
  const { build } = await import('esbuild')
  const writer = join(CLI_DIST, `write-index-${process.pid}.mjs`)
  await build({
    entryPoints: [join(root, 'cli', 'src', 'write-index.ts')],
    outfile: writer,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: EXTERNAL_PACKAGES,
    banner: { js: REQUIRE },
    // The commands read the API document only when they run.
    loader: { '.json': 'empty' },
    logLevel: 'error',
  })
  const { writeIndex } = await import(pathToFileURL(writer).href)
  writeFileSync(join(CLI_DIST, 'command-index.json'), writeIndex())
  rmSync(writer)
}

/**
 * The manifest beside the program. It gives the server's path: in its workspace here, and beside the program in a
 * release.
 */
export function describeCli(server_program) {
  return `${JSON.stringify({ type: 'commonjs', imports: { '#server': server_program } })}\n`
}

/**
 * Node starts a CommonJS program faster than modules, and can load its own modules late. The bundler splits only
 * modules, so the chunks are converted one by one.
 */
async function toCommonJs(folder) {
  const { build } = await import('esbuild')
  const files = readdirSync(folder).filter(name => name.endsWith('.js'))
  for (const name of files) {
    const code = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), code.replaceAll('import("./part-', 'requireLate("./part-'))
  }
  await build({
    entryPoints: files.map(name => join(folder, name)),
    outdir: folder,
    allowOverwrite: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minifyWhitespace: true,
    banner: { js: REQUIRE_LATE },
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'error',
  })
}

async function bundleProgram(
  dist,
  entries_by_name,
  more,
  { shared = [], finish = async () => undefined } = {},
) {
  const { build } = await import('esbuild')
  // Written to a temporary folder and renamed, so that a starting service never reads an incomplete file. The chunks
  // have unique names in every build and are in place before the entry that loads them.
  const temporary = join(dist, `aside-${process.pid}`)
  const options = {
    entryPoints: entries_by_name,
    outdir: temporary,
    bundle: true,
    splitting: true,
    chunkNames: 'part-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: EXTERNAL_PACKAGES,
    // A separate file, for `node --enable-source-maps`: inline, every start would have to read it.
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'error',
    ...more,
  }
  await build({
    ...options,
    plugins: shared.length === 0 ? [] : [await makeFewParts(build, options, shared)],
  })
  await finish(temporary)
  const files = readdirSync(temporary)
  const entries = files.filter(name => Object.hasOwn(entries_by_name, name.split('.', 1)[0]))
  const parts = files.filter(name => !entries.includes(name))
  const old = readdirSync(dist).filter(name => name.startsWith('part-') && !parts.includes(name))
  for (const name of [...parts, ...entries]) renameSync(join(temporary, name), join(dist, name))
  for (const name of [...old, basename(temporary)]) rmSync(join(dist, name), { recursive: true })
}

async function buildWeb() {
  // Test runners set it to `test`, which would build React in development mode.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  await build({ configFile: join(root, 'web', 'vite.config.ts'), logLevel: 'error' })
}

/** Uses relative paths, so that a moved clone still counts as built. */
function hashSources({ sources }) {
  const hash = createHash('sha256')
  const files = sources.flatMap(folder => listFiles(join(root, folder)))
  for (const file of [...files, LOCK_FILE, THIS_FILE, ...OPTION_FILES])
    hash.update(relative(root, file)).update(readFileSync(file))
  return hash.digest('hex')
}

function listFiles(folder) {
  // The API document before the first build.
  if (!existsSync(folder)) return []
  if (statSync(folder).isFile()) return [folder]
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath ?? entry.path, entry.name))
    .filter(path => !path.includes('node_modules'))
    .sort()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildStale()
