// A system PostgreSQL for one run of a script: Debian's programs, a separate folder, a free port on this machine. If
// the script runs as root, the server runs as the user `postgres`, because it refuses to run as root.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../run/service.mjs'

/** The user that owns the schema, as in the embedded database. */
export const OWNER = 'waybill'
const DEBIAN = '/usr/lib/postgresql'
const NEEDED = ['initdb', 'postgres', 'pg_basebackup', 'pg_ctl', 'pg_dump', 'psql']
const START_MS = 60_000
const POLL_MS = 20

/** The folder with the programs of the newest installed version. Exits with one line if there is none. */
export function findPrograms() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions
    .map(version => join(DEBIAN, version, 'bin'))
    .find(folder => NEEDED.every(program => existsSync(join(folder, program))))
  if (found !== undefined) return found
  console.error('PostgreSQL is not installed: apt-get install postgresql')
  process.exit(1)
}

export function makeCluster(programs, folder) {
  makeFolder(folder)
  const args = ['-D', folder, '-U', OWNER, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8']
  runProgram(programs, 'initdb', [...args, '--no-sync'])
}

/** The server refuses a folder that others can read or own. */
export function makeFolder(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, gid } = findAccount()
  if (uid !== undefined) chownSync(folder, uid, gid)
}

/** Starts the server of a folder and resolves when it accepts connections, even read-only ones. */
export async function startServer(programs, folder, { port: wanted, settings = {} } = {}) {
  const port = wanted ?? (await findFreePort())
  const options = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(programs, 'postgres'), ['-D', folder, '-p', String(port), ...options], {
    ...findAccount(),
    stdio: ['ignore', 'ignore', process.env.DEBUG ? 'inherit' : 'ignore'],
  })
  const closed = once(child, 'close')
  const url = `postgres://${OWNER}@127.0.0.1:${port}/postgres`
  await waitUntilReady(programs, url, child)
  return {
    port,
    url,
    pid: child.pid,
    /** Ends every process of the server at once, like a machine losing power. */
    kill: async () => {
      killWithChildren(child.pid)
      await closed
    },
    stop: async () => {
      child.kill('SIGINT')
      await closed
    },
  }
}

async function waitUntilReady(programs, url, child) {
  const deadline = Date.now() + START_MS
  while (spawnSync(join(programs, 'pg_isready'), ['-q', '-d', url]).status !== 0) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('PostgreSQL did not start')
    await sleep(POLL_MS)
  }
}

function killWithChildren(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  for (const each of [pid, ...children.map(Number)]) {
    try {
      process.kill(each, 'SIGKILL')
    } catch {
      // The process ended in the meantime.
    }
  }
}

/** Runs one of PostgreSQL's programs to its end, and returns its output. */
export function runProgram(programs, name, args) {
  const { status, stdout, stderr } = spawnSync(join(programs, name), args, {
    ...findAccount(),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`)
  return stdout
}

export const runSql = (programs, url, sql) =>
  runProgram(programs, 'psql', [url, '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', sql]).trim()

function findAccount() {
  if (userInfo().uid !== 0) return {}
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find(each => each.startsWith('postgres:'))
  const [, , uid, gid] = (line ?? '').split(':')
  return { uid: Number(uid), gid: Number(gid) }
}
