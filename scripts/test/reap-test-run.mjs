// Ends what a run of tests left behind, once the run is over:
// `node reap-test-run.mjs <temporary folder of the run> <folder of its shared cluster>`.
// The run holds the other end of standard input, so a run that was killed is over too.
//
// It finds processes by what cannot be reused, unlike process ids: a program has the folder of the run as TMPDIR in its
// environment, and a PostgreSQL has the device and inode of its cluster in its command line.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY_MS = 100
/** PostgreSQL needs this to remove its shared memory. Then it is killed. */
const ROUNDS_FOR_POSTGRES = 100
/** Processes that survive SIGKILL this long cannot be ended by anybody. */
const MAX_ROUNDS = 200
/** The depth between the folder of the run and a cluster, such as waybill-service-a1b2c3/data/postgres. */
const MAX_DEPTH = 4
/** The sockets are here if the folder's path is too long for them. */
const FALLBACK_OF_SOCKETS = '/tmp'

const [folder, cluster_folder] = process.argv.slice(2)
process.stdin.resume()
process.stdin.on('error', () => undefined)
process.stdin.once('close', () => reap())

async function reap() {
  const markers = listMarkers()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const programs = findPrograms()
    // A program would restart its PostgreSQL.
    const servers = programs.length > 0 ? [] : findPostgresProcesses(markers)
    if (programs.length + servers.length === 0) break
    for (const pid of programs) send(pid, 'SIGKILL')
    for (const pid of servers) send(pid, round < ROUNDS_FOR_POSTGRES ? 'SIGQUIT' : 'SIGKILL')
    await sleep(LOOK_EVERY_MS)
  }
  const sockets = list(FALLBACK_OF_SOCKETS).filter(({ name }) =>
    markers.some(marker => name.startsWith(`${marker}-`)),
  )
  for (const { name } of sockets) remove(join(FALLBACK_OF_SOCKETS, name))
  for (const path of [folder, cluster_folder]) remove(path)
}

function findPrograms() {
  return listPids().filter(pid => read(`/proc/${pid}/environ`).split('\0').includes(`TMPDIR=${folder}`))
}

/** As packages/embedded-postgres names clusters. */
function listMarkers() {
  return [...new Set([folder, cluster_folder].flatMap(path => findClusters(path, 0)))].map(cluster => {
    const { dev, ino } = statSync(cluster, { bigint: true })
    return `waybill-${dev}-${ino}.db`
  })
}

function findPostgresProcesses(markers) {
  return listPids().filter(pid => {
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
    const isPostgres = /^(postgres:|.*\/postgres -D )/.test(command)
    return isPostgres && markers.some(marker => command.includes(marker))
  })
}

function findClusters(directory, depth) {
  const entries = list(directory)
  if (entries.some(entry => entry.name === 'PG_VERSION')) return [directory]
  if (depth === MAX_DEPTH) return []
  return entries
    .filter(entry => entry.isDirectory())
    .flatMap(entry => findClusters(join(directory, entry.name), depth + 1))
}

function listPids() {
  return list('/proc')
    .map(entry => Number(entry.name))
    .filter(pid => Number.isInteger(pid) && pid !== process.pid)
}

function list(directory) {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    // Removed in the meantime, or a system without /proc, where only the folder is removed.
    return []
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The process ended in the meantime, or belongs to somebody else.
    return ''
  }
}

function remove(path) {
  rmSync(path, { recursive: true, force: true, maxRetries: 5 })
}

function send(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // The process ended in the meantime.
  }
}
