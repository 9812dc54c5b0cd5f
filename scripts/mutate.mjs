// `npm run mutate`: mutation tests. Plants one fault after the other in a copy of the working tree and requires that
// one of its tests fails. `npm run mutate -- roles` selects faults by a part of their id; `--list` only lists them;
// `--copies 1` uses one copy of the tree instead of two.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { getVerdict, pick, plant, readFaults } from './mutate/faults.mjs'
import { makeScratch } from './mutate/scratch.mjs'
import { install } from './prepare.mjs'

/** For one test file, on a busy machine. */
const FILE_TIMEOUT_MS = 10 * 60 * 1000
/** How long tests wait for something that a fault prevents; must be shorter than the timeout of the file. */
const PATIENCE_MINUTES = '2'
const STOP_TIMEOUT_MS = 10_000

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean' }, copies: { type: 'string', default: '2' } },
})
const selectedFaults = pick(readFaults(), positionals)
if (selectedFaults.length === 0) {
  console.error('No fault id contains the given text')
  process.exitCode = 1
} else if (options.list) listFaults()
else {
  install()
  process.exitCode = (await testFaults()) ? 0 : 1
}

function listFaults() {
  for (const { id, why, tests } of selectedFaults) console.log(`${id}\n  ${why}\n  ${tests.join(' ')}`)
  console.log(`${selectedFaults.length} faults`)
}

/** Returns true if the tests caught every fault. */
async function testFaults() {
  const copies = Array.from({ length: Math.max(1, Number(options.copies)) }, makeScratch)
  const running = new Set()
  const stop = async () => {
    await Promise.all([...running].map(endProcess))
    for (const { remove } of copies) remove()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => stop().then(() => process.exit(130)))
  }
  try {
    // Report faults that no longer apply before running anything.
    for (const fault of selectedFaults) plant(fault, readFileSync(join(copies[0].tree, fault.file), 'utf8'))
    await requirePassing(copies[0], running)
    return printSummary(await plantAll(copies, running))
  } catch (error) {
    console.error(error.message)
    return false
  } finally {
    await stop()
  }
}

/** All tests must pass without a fault; otherwise a failure would prove nothing. */
async function requirePassing(scratch, running) {
  const files = [...new Set(selectedFaults.flatMap(fault => fault.tests))]
  console.log(`Running ${files.length} test files without a fault`)
  const started_ms = performance.now()
  const verdict = getVerdict(await runVitest(scratch, running, files, []))
  if (verdict.kind !== 'survived') {
    const failure = verdict.kind === 'caught' ? formatTest(scratch, verdict) : verdict.reason
    throw new Error(`Fix this first, it fails without a fault: ${failure}`)
  }
  console.log(`all pass (${formatSeconds(started_ms)})`)
}

/** Each copy of the tree takes the next fault as soon as it is free. */
async function plantAll(copies, running) {
  const waiting = selectedFaults.values()
  const results = []
  await Promise.all(
    copies.map(async scratch => {
      for (const fault of waiting) {
        const started_ms = performance.now()
        const verdict = await testFault(scratch, running, fault)
        results.push({ fault, verdict })
        console.log(`${formatResult(scratch, fault, verdict)} (${formatSeconds(started_ms)})`)
      }
    }),
  )
  return results
}

async function testFault(scratch, running, fault) {
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
  return `SURVIVED  ${id}: ${why} Not caught by ${tests.join(', ')}`
}

function printSummary(results) {
  const listIds = kind => results.filter(({ verdict }) => verdict.kind === kind).map(({ fault }) => fault.id)
  const [caught, survived, broken] = [listIds('caught'), listIds('survived'), listIds('broken')]
  console.log(`${caught.length} of ${results.length} faults caught`)
  if (survived.length > 0) console.log(`survived: ${survived.join(', ')}`)
  if (broken.length > 0) console.log(`broken, so inconclusive: ${broken.join(', ')}`)
  return caught.length === results.length
}

function formatTest({ tree }, { file, title }) {
  return `${relative(tree, file)} › ${title}`
}

function formatSeconds(started_ms) {
  return `${((performance.now() - started_ms) / 1000).toFixed(0)} s`
}

/** Runs the test files and returns vitest's report. */
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
      // Its own process group, so that its child processes can be stopped with it.
      detached: true,
    },
  )
  running.add(child)
  let errors = ''
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const timer = setTimeout(() => void endProcess(child), files.length * FILE_TIMEOUT_MS)
  return new Promise(resolve => {
    child.once('close', () => {
      clearTimeout(timer)
      running.delete(child)
      resolve(existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : buildFailedReport(errors))
    })
  })
}

/** For a run whose global setup failed before the first file. */
function buildFailedReport(message) {
  return {
    success: false,
    testResults: [{ name: 'the run', status: 'failed', message, assertionResults: [] }],
  }
}

/** A PostgreSQL that is left behind exits within a minute after its files are removed. */
async function endProcess(child) {
  if (child.exitCode !== null) return
  const closed = new Promise(resolve => child.once('close', resolve))
  sendSignal(child, 'SIGTERM')
  const timer = setTimeout(() => sendSignal(child, 'SIGKILL'), STOP_TIMEOUT_MS)
  await closed
  clearTimeout(timer)
}

function sendSignal(child, name) {
  try {
    process.kill(-child.pid, name)
  } catch {
    // The process has already exited.
  }
}
