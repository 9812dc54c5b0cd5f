// `npm run faults`: plants one fault of faults.yaml after the other and requires that one of its tests fails. The tree is
// not changed: vitest alters the module while it loads it, or the database that every test file clones.
//   npm run faults -- tenancy log     some of them, by a part of their name; `--list` only lists them
//   npm run faults -- --tests "…"     would these tests notice? Arguments as of `npm test`; `--config` is another
//                                     configuration of vitest, all of whose tests count
//   npm run faults -- domain/policy   Stryker alters every expression of a folder or file there or in packages/
import { fork } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { prepare, root } from '../run/prepare.mjs'
import { provideChromium } from '../test/chromium.mjs'
import { getAlteration } from './plant.mjs'
import { findStrykerPath, runStryker } from './stryker.mjs'

/** For one test file, on a busy machine. */
const FILE_TIMEOUT_MS = 10 * 60 * 1000
const STOP_TIMEOUT_MS = 10_000
const BROWSER_TESTS = 'server/test/web/'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean' }, tests: { type: 'string' }, config: { type: 'string' } },
})
// How long tests wait for something that a fault prevents; must be shorter than the file's timeout.
process.env.TEST_PATIENCE_MINUTES ??= '2'
try {
  const paths = positionals.map(findStrykerPath)
  const isForStryker = paths.length > 0 && paths.every(path => path !== undefined)
  process.exitCode = isForStryker ? runStryker(paths) : (await plantFaults()) ? 0 : 1
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

/** Returns true if the tests noticed every fault. */
async function plantFaults() {
  const faults = pickFaults()
  if (options.list) return listFaults(faults)
  for (const fault of faults) check(fault)
  prepare()
  const selected = await selectFiles()
  const files = selected ?? [...new Set(faults.flatMap(({ tests }) => tests))]
  console.log(`Running ${files.length} test files without a fault`)
  const verdict = await run({ files })
  if (verdict.kind !== 'survived')
    throw new Error(`Fix this first, it fails without a fault: ${describe(verdict)}`)
  const results = []
  for (const fault of faults) results.push({ fault, ...(await plant(fault, selected)) })
  return summarize(results)
}

function pickFaults() {
  const faults = parse(readFileSync(join(import.meta.dirname, 'faults.yaml'), 'utf8'))
  const picked = faults.filter(
    ({ id }) => positionals.length === 0 || positionals.some(part => id.includes(part)),
  )
  if (picked.length > 0) return picked
  throw new Error(
    'No fault has that in its name, and it is no folder or file of server/src/domain/ or packages/',
  )
}

function listFaults(faults) {
  for (const { id, breaks, tests } of faults) console.log(`${id}\n  ${breaks}\n  ${tests.join(' ')}`)
  console.log(`${faults.length} faults`)
  return true
}

/**
 * Throws if the code no longer contains what the fault names. Faults in statements and the database are checked when
 * they run.
 */
function check(fault) {
  const { id, tests, statement } = fault
  const missing = tests.find(file => !existsSync(join(root, file)))
  if (missing) throw new Error(`${id}: there is no ${missing}`)
  if (statement && !isDeclared(statement)) throw new Error(`${id}: there is no statement ${statement}`)
  const alteration = getAlteration(fault)
  try {
    alteration?.alter(readFileSync(join(root, alteration.file), 'utf8'))
  } catch (error) {
    throw new Error(`${id} no longer fits ${alteration.file}: ${error.message}`)
  }
}

function isDeclared(statement) {
  const folder = join(root, 'server', 'src')
  return readdirSync(folder, { recursive: true }).some(
    file => file.endsWith('.ts') && readFileSync(join(folder, file), 'utf8').includes(`'${statement}'`),
  )
}

/** The files that `--tests` and `--config` select; undefined without them, because each fault has its own. */
async function selectFiles() {
  if (options.tests === undefined && options.config === undefined) return undefined
  const paths = await run({ files: options.tests?.split(/[\s,]+/) ?? [], lists: true })
  const files = paths.map(path => relative(root, path))
  if (files.some(file => file.startsWith(BROWSER_TESTS))) process.env.CHROMIUM_PATH = await provideChromium()
  return files
}

async function plant(fault, selected) {
  const started_ms = performance.now()
  const own = selected ? fault.tests.filter(file => selected.includes(file)) : fault.tests
  let verdict = own.length > 0 ? await run({ fault, files: own }) : { kind: 'survived' }
  const others = (selected ?? []).filter(file => !own.includes(file))
  if (verdict.kind === 'survived' && others.length > 0) verdict = await run({ fault, files: others })
  const seconds = ((performance.now() - started_ms) / 1000).toFixed(0)
  console.log(
    `${verdict.kind === 'caught' ? 'caught' : verdict.kind.toUpperCase()}  ${fault.id}  (${seconds} s)`,
  )
  console.log(`  ${verdict.kind === 'survived' ? fault.breaks : describe(verdict)}`)
  return verdict
}

function describe({ kind, file, title, reason }) {
  return kind === 'caught' ? `${relative(root, file)} › ${title}\n  ${reason}` : reason
}

function summarize(results) {
  const list = kind => results.filter(result => result.kind === kind).map(({ fault }) => fault.id)
  const [caught, survived, broken] = [list('caught'), list('survived'), list('broken')]
  console.log(`${caught.length} of ${results.length} faults caught`)
  if (survived.length > 0) console.log(`survived: ${survived.join(', ')}`)
  if (broken.length > 0) console.log(`no test failed, but the run did: ${broken.join(', ')}`)
  return caught.length === results.length
}

/** Runs vitest in a separate process. Its reaper ends whatever it leaves behind (scripts/test/test-run.mjs). */
function run(request) {
  const script = join(import.meta.dirname, 'run-tests.mjs')
  const child = fork(script, [JSON.stringify({ config: options.config, ...request })], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const timer = setTimeout(() => {
    child.kill()
    setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS).unref()
  }, Math.max(1, request.files.length) * FILE_TIMEOUT_MS)
  let answer
  let errors = ''
  child.on('message', message => {
    answer = message
  })
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  return new Promise(resolve => {
    child.once('close', () => {
      clearTimeout(timer)
      resolve(answer ?? { kind: 'broken', reason: errors.trim() || 'vitest ended without a result' })
    })
  })
}
