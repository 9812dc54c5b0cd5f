// `npm run mutate`: plants one fault after the other in a copy of the working tree and demands that the tests named for it
// fail. `npm run mutate -- roles` picks those whose id contains the text; `--list` only shows them; `--lanes 1` plants one
// at a time instead of two.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { getVerdict, pick, plant, readFaults } from './mutate/faults.mjs'
import { makeScratch } from './mutate/scratch.mjs'
import { install } from './prepare.mjs'

/** Of one test file, on a machine that is busy with other things. */
const LONGEST_FILE_MS = 10 * 60 * 1000
/** How long tests wait for what a fault prevents: not so long that the file is ended before it fails. */
const PATIENCE_MINUTES = '2'
const STOP_WITHIN_MS = 10_000

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean' }, lanes: { type: 'string', default: '2' } },
})
const chosen = pick(readFaults(), positionals)
if (chosen.length === 0) {
  console.error('No fault has such an id')
  process.exitCode = 1
} else if (options.list) list()
else {
  install()
  process.exitCode = (await run()) ? 0 : 1
}

function list() {
  for (const { id, why, tests } of chosen) console.log(`${id}\n  ${why}\n  ${tests.join(' ')}`)
  console.log(`${chosen.length} faults`)
}

/** True when every fault was caught. */
async function run() {
  const lanes = Array.from({ length: Math.max(1, Number(options.lanes)) }, makeScratch)
  const running = new Set()
  const stop = async () => {
    await Promise.all([...running].map(end))
    for (const { remove } of lanes) remove()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => stop().then(() => process.exit(130)))
  }
  try {
    // A place that is gone is told before anything is run.
    for (const fault of chosen) plant(fault, readFileSync(join(lanes[0].tree, fault.file), 'utf8'))
    await demandGreen(lanes[0], running)
    return printSummary(await plantAll(lanes, running))
  } catch (error) {
    console.error(error.message)
    return false
  } finally {
    await stop()
  }
}

/** Without any fault every named test passes; otherwise a failure would say nothing. */
async function demandGreen(scratch, running) {
  const files = [...new Set(chosen.flatMap(fault => fault.tests))]
  console.log(`Without a fault: ${files.length} test files`)
  const started_ms = performance.now()
  const verdict = getVerdict(await runVitest(scratch, running, files, []))
  if (verdict.kind !== 'survived') {
    const what = verdict.kind === 'caught' ? formatTest(scratch, verdict) : verdict.reason
    throw new Error(`Fix this first, it fails without a fault: ${what}`)
  }
  console.log(`all pass (${formatSeconds(started_ms)})`)
}

/** Each lane takes the next fault as soon as it is done with one. */
async function plantAll(lanes, running) {
  const waiting = chosen.values()
  const results = []
  await Promise.all(
    lanes.map(async scratch => {
      for (const fault of waiting) {
        const started_ms = performance.now()
        const verdict = await tryFault(scratch, running, fault)
        results.push({ fault, verdict })
        console.log(`${formatResult(scratch, fault, verdict)} (${formatSeconds(started_ms)})`)
      }
    }),
  )
  return results
}

async function tryFault(scratch, running, fault) {
  const path = join(scratch.tree, fault.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, plant(fault, text))
  try {
    return getVerdict(await runVitest(scratch, running, fault.tests, ['--bail', '1', '--maxWorkers', '1']))
  } finally {
    writeFileSync(path, text)
  }
}

function formatResult(scratch, { id, why, tests }, verdict) {
  if (verdict.kind === 'caught') return `caught    ${id} by ${formatTest(scratch, verdict)}`
  if (verdict.kind === 'broken') return `BROKEN    ${id}: no test failed, but ${verdict.reason}`
  return `SURVIVED  ${id}: ${why} Not noticed by ${tests.join(', ')}`
}

function printSummary(results) {
  const listIds = kind => results.filter(({ verdict }) => verdict.kind === kind).map(({ fault }) => fault.id)
  const [caught, survived, broken] = [listIds('caught'), listIds('survived'), listIds('broken')]
  console.log(`${caught.length} of ${results.length} faults caught`)
  if (survived.length > 0) console.log(`survived: ${survived.join(', ')}`)
  if (broken.length > 0) console.log(`broken, so that nothing is known: ${broken.join(', ')}`)
  return caught.length === results.length
}

function formatTest({ tree }, { file, title }) {
  return `${relative(tree, file)} › ${title}`
}

function formatSeconds(started_ms) {
  return `${((performance.now() - started_ms) / 1000).toFixed(0)} s`
}

/** The report of a run. */
function runVitest({ tree, temporary }, running, files, more) {
  const report = join(temporary, 'report.json')
  rmSync(report, { force: true })
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...files,
      '--reporter=json',
      `--outputFile=${report}`,
      '--no-color',
      ...more,
    ],
    {
      cwd: tree,
      env: { ...process.env, TMPDIR: temporary, TEST_PATIENCE_MINUTES: PATIENCE_MINUTES },
      stdio: ['ignore', 'ignore', 'pipe'],
      // A group of its own, so that whatever it started can be ended with it.
      detached: true,
    },
  )
  running.add(child)
  let errors = ''
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const late = setTimeout(() => void end(child), files.length * LONGEST_FILE_MS)
  return new Promise(resolve => {
    child.once('close', () => {
      clearTimeout(late)
      running.delete(child)
      resolve(existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : buildFailedReport(errors))
    })
  })
}

/** The setup of the whole run failed: no file was even begun. */
function buildFailedReport(message) {
  return {
    success: false,
    testResults: [{ name: 'the run', status: 'failed', message, assertionResults: [] }],
  }
}

/** A PostgreSQL that is left behind ends within a minute of its files being removed. */
async function end(child) {
  if (child.exitCode !== null) return
  const closed = new Promise(resolve => child.once('close', resolve))
  signal(child, 'SIGTERM')
  const late = setTimeout(() => signal(child, 'SIGKILL'), STOP_WITHIN_MS)
  await closed
  clearTimeout(late)
}

function signal(child, name) {
  try {
    process.kill(-child.pid, name)
  } catch {
    // It has ended by itself.
  }
}
