// Makes a clone ready to run: installs what is missing, builds what is stale. Plain JavaScript without dependencies,
// because it runs before anything is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const LEAST_NODE = [20, 19]
const INSTALL_STAMP = join(root, 'node_modules', '.waybill-installed')
const BUILD_STAMP = join(root, 'server', 'dist', '.waybill-built')
const WEB_STAMP = join(root, 'server', 'dist', '.waybill-web-built')

/** Everything `npm start` and `npm test` need. Quick when nothing changed. */
export async function prepare() {
  refuseOldNode()
  install()
  await build()
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) return
  console.error(`Waybill needs Node ${LEAST_NODE.join('.')} or newer; this is ${process.versions.node}`)
  process.exit(1)
}

export function install() {
  const wanted = hashOf([join(root, 'package-lock.json')])
  if (existsSync(INSTALL_STAMP) && readFileSync(INSTALL_STAMP, 'utf8') === wanted) return
  console.error('Installing dependencies…')
  // The build tools are dev dependencies, and NODE_ENV=production would leave them out.
  const npm = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (npm.status !== 0) process.exit(npm.status ?? 1)
  writeFileSync(INSTALL_STAMP, wanted)
}

export async function build() {
  await buildServer()
  await buildWeb()
}

/** The pages, to where the server serves them from. */
async function buildWeb() {
  const sources = ['web', 'client'].flatMap(folder => filesBelow(join(root, folder)))
  const wanted = hashOf([...sources, join(root, 'package-lock.json')])
  if (existsSync(WEB_STAMP) && readFileSync(WEB_STAMP, 'utf8') === wanted) return
  // The folder is emptied first: until the build is done there is none.
  rmSync(WEB_STAMP, { force: true })
  const { build: bundle } = await import('vite')
  await bundle({ configFile: join(root, 'web', 'vite.config.ts'), logLevel: 'error' })
  writeFileSync(WEB_STAMP, wanted)
}

/**
 * All other packages are in the bundle: to look for their files at every start takes as long as all the rest of it. These
 * have files beside their code (workers, WebAssembly, pages) that they find by where they are themselves.
 */
const FOUND_BY_PATH = ['@fastify/swagger-ui', 'jq-wasm', 'pino', 'piscina', 'pg-native']
const REQUIRE = `import { createRequire as nodeRequire } from 'node:module'
const require = nodeRequire(import.meta.url)`

async function buildServer() {
  const wanted = hashOf([...filesBelow(join(root, 'server', 'src')), join(root, 'package-lock.json')])
  if (existsSync(BUILD_STAMP) && readFileSync(BUILD_STAMP, 'utf8') === wanted) return
  const { build: bundle } = await import('esbuild')
  const folder = join(root, 'server', 'dist')
  mkdirSync(folder, { recursive: true })
  // Written aside and renamed, so that a service starting meanwhile never reads half a file.
  const aside = join(folder, `main.${process.pid}.js`)
  await bundle({
    entryPoints: [join(root, 'server', 'src', 'main.ts')],
    outfile: aside,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: FOUND_BY_PATH,
    // Packages that were written for `require` ask for Node's own modules with it.
    banner: { js: REQUIRE },
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'error',
  })
  renameSync(aside, join(folder, 'main.js'))
  writeFileSync(BUILD_STAMP, wanted)
}

function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath ?? entry.path, entry.name))
    .filter(path => !path.includes('node_modules'))
    .sort()
}
