// One run of tests: its temporary folders, and a process that outlives the run and ends what the run leaves behind, even
// if the run is killed (scripts/test/reap-test-run.mjs).
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const REAPER = join(import.meta.dirname, 'reap-test-run.mjs')
const MEMORY = '/dev/shm'
/** The file system type in statfs(2). */
const TMPFS = 0x01021994
/** The databases of a run need less than half of it. */
const MEMORY_NEEDED = 4 * 1024 ** 3

/**
 * Makes a folder the temporary directory of this process and everything it starts. Returns it, and the folder for the
 * shared cluster: in memory if there is enough, because every test file creates a database, which copies 900 files.
 */
export function startTestRun() {
  const folder = makeFolder(tmpdir())
  const cluster_folder = hasMemory() ? makeFolder(MEMORY) : folder
  // Its standard input closes when this process ends, however that happens. Detached, because a signal to the process
  // group of the run must not reach it.
  const reaper = spawn(process.execPath, [REAPER, folder, cluster_folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  reaper.unref()
  reaper.stdin.unref()
  process.env.TMPDIR = folder
  return { folder, cluster_folder }
}

function makeFolder(parent) {
  const folder = mkdtempSync(join(parent, 'waybill-run-'))
  // Like /tmp: PostgreSQL has its socket in it and runs as another user if the tests run as root.
  chmodSync(folder, 0o1777)
  return folder
}

/**
 * False in most containers, which have 64 MB of it, and on systems without it. Benches with large tables turn it off.
 */
function hasMemory() {
  if (process.env.TEST_CLUSTER_ON_DISK) return false
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY)
    return type === TMPFS && bavail * bsize > MEMORY_NEEDED && process.availableMemory() > 2 * MEMORY_NEEDED
  } catch {
    return false
  }
}
