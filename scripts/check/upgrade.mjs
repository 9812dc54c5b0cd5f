// `npm run check -- upgrade`: upgrades a database of each kept version while that version serves requests. It builds
// the version from the history, fills a new database with it, then starts the current version beside it and continues
// writing to both. `-- 0082` picks versions; `--write` also keeps the filled databases, from which the tests start.
// Needs git, the npm registry and Debian's PostgreSQL.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { prepare, root } from '../run/prepare.mjs'
import { ORG } from '../run/service.mjs'
import { findPrograms, makeCluster, OWNER, runProgram, runSql, startServer } from './debian-postgres.mjs'
import { findDifferences } from './upgrade/compare.mjs'
import { fill } from './upgrade/fill.mjs'
import { LANDMARKS } from './upgrade/landmarks.mjs'
import { prepareVersion, readOpenapi, runAdmin, send, startVersion } from './upgrade/program.mjs'
import { listReadings } from './upgrade/readings.mjs'

const WRITERS = 6
/** How long both versions write side by side. */
const BESIDE_MS = 3_000
const MAX_WAIT_MS = 60_000
const KEPT = join(root, 'server', 'test', 'fixtures', 'databases')
const BUSY_ORG = 'busy'

const programs = findPrograms()
const is_kept = process.argv.includes('--write')
const picked = process.argv.slice(2).filter(argument => argument !== '--write')
prepare()
for (const landmark of LANDMARKS) {
  if (picked.length > 0 && !picked.includes(landmark.name)) continue
  const problems = await checkUpgrade(landmark)
  for (const problem of problems) console.log(`  ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}

async function checkUpgrade({ name, commit, title }) {
  console.log(`${name} (${commit}): ${title}`)
  const old_folder = prepareVersion(commit)
  const folder = mkdtempSync(join(tmpdir(), 'waybill-upgrade-'))
  const cluster = join('/var/tmp', `waybill-upgrade-${process.pid}-${name}`)
  makeCluster(programs, cluster)
  const server = await startServer(programs, cluster, { settings: { fsync: 'off' } })
  const database = { url: makeDatabase(server), data_dir: join(folder, 'data') }
  try {
    const readings = await fillDatabase(old_folder, database)
    if (is_kept) keep(name, database, readings)
    return await upgrade(old_folder, database, readings)
  } finally {
    await server.stop()
    rmSync(cluster, { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeDatabase({ url }) {
  runSql(programs, url, "create database waybill encoding 'UTF8' template template0")
  return url.replace(/\/postgres$/, '/waybill')
}

/** Returns what the version shows of its stored data. */
async function fillDatabase(folder, database) {
  const service = await startVersion(folder, database)
  try {
    await fill(makeCall(service), readOpenapi(folder))
    await settle(service)
    const read_at_ms = Date.now()
    const answers = {}
    for (const path of listReadings(read_at_ms)) answers[path] = await send(service, 'GET', path)
    return { key: service.key, read_at_ms, evidence: readEvidence(database), answers }
  } finally {
    await service.stop()
  }
}

function makeCall(service) {
  return async (method, path, body) => {
    const { status, body: answer } = await send(service, method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
    return answer
  }
}

/** Verdicts are computed shortly after the data that they depend on changes. */
async function settle(service) {
  const deadline = Date.now() + MAX_WAIT_MS
  let [last, same] = ['', 0]
  while (same < 10) {
    const answers = [`/environments/${ORG}`, `/snapshots/${ORG}/production/-1`]
    const now = JSON.stringify(await Promise.all(answers.map(path => send(service, 'GET', path))))
    same = now === last ? same + 1 : 0
    last = now
    if (Date.now() > deadline) throw new Error('The verdicts keep changing')
    await sleep(200)
  }
}

/** The files in the evidence store, by path. */
function readEvidence({ data_dir }) {
  const folder = join(data_dir, 'evidence')
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, path, name }) => {
      const file = join(parentPath ?? path, name)
      return [relative(folder, file), readFileSync(file, 'base64')]
    }),
  )
}

function keep(name, { url }, readings) {
  mkdirSync(KEPT, { recursive: true })
  const options = ['--no-owner', '--inserts', '--rows-per-insert=100', '--enable-row-security']
  const dump = runProgram(programs, 'pg_dump', [...options, `--role=${OWNER}`, url])
  // psql commands, which other clients do not understand.
  const sql = dump.replace(/^\\.*\n/gm, '')
  writeFileSync(join(KEPT, `${name}.sql.gz`), gzipSync(sql, { level: 9 }))
  writeFileSync(join(KEPT, `${name}.json.gz`), gzipSync(JSON.stringify(readings), { level: 9 }))
}

async function upgrade(old_folder, database, readings) {
  const old = await startVersion(old_folder, database)
  old.key = readings.key
  const load = await startLoad(old)
  await load.untilAllWrote(5)
  const started_ms = Date.now()
  const present = await startVersion(root, database)
  present.key = readings.key
  console.log(`  the current version was ready after ${((Date.now() - started_ms) / 1000).toFixed(1)} s`)
  load.alsoTo(present)
  await sleep(BESIDE_MS)
  await load.untilAllWrote(5)
  const statuses = await load.stop()
  await old.stop()
  console.log(`  writes to both: ${JSON.stringify(statuses)}`)
  const problems = Object.keys(statuses).some(status => !status.startsWith('2')) ? ['some writes failed'] : []
  problems.push(...(await findChangedAnswers(present, readings)))
  await present.stop()
  const check = runAdmin(root, database, ['check', '--log', '--evidence'])
  if (check.status !== 0) problems.push(`admin check: ${check.stdout}${check.stderr}`)
  console.log(`  the old version starts again: ${await describeStart(old_folder, database)}`)
  return problems
}

async function findChangedAnswers(service, { answers }) {
  const problems = []
  for (const [path, before] of Object.entries(answers)) {
    const after = await send(service, 'GET', path)
    problems.push(...findDifferences(before, after).map(difference => `${path} ${difference}`))
  }
  return problems
}

async function describeStart(folder, database) {
  try {
    const service = await startVersion(folder, database)
    await service.stop()
    return 'yes'
  } catch (error) {
    return `no: ${error.message}`
  }
}

/** Writers that begin trails and attest, each in its own organization, alternating between the services. */
async function startLoad(first) {
  await makeCall(first)('POST', '/organizations', { name: BUSY_ORG, description: '' })
  await makeCall(first)('PUT', `/flows/${BUSY_ORG}`, { name: 'ci', description: '' })
  const services = [first]
  const statuses = {}
  const done = Array.from({ length: WRITERS }, () => 0)
  let is_over = false
  const request = async (...args) => {
    const { status } = await send(...args).catch(error => ({ status: String(error.cause ?? error) }))
    statuses[status] = (statuses[status] ?? 0) + 1
  }
  const writers = done.map(async (_, i) => {
    while (!is_over) {
      const service = services[done[i] % services.length]
      const trail = `run-${i}-${done[i]}`
      await request(service, 'PUT', `/trails/${BUSY_ORG}/ci`, { name: trail })
      const attestation = { attestation_name: 'tests', is_compliant: true }
      await request(service, 'POST', `/attestations/${BUSY_ORG}/ci/trail/${trail}/generic`, attestation)
      done[i]++
    }
  })
  return {
    alsoTo: service => services.push(service),
    untilAllWrote: async times => {
      const goals = done.map(count => count + times)
      while (!goals.every((goal, i) => done[i] >= goal)) await sleep(20)
    },
    stop: async () => {
      is_over = true
      await Promise.all(writers)
      return statuses
    },
  }
}
