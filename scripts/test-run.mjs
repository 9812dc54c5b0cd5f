// One run of tests: its temporary folder, and a process that outlives the run and ends what the run leaves behind, even
// if the run is killed (scripts/reap-test-run.mjs).
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const REAPER = join(import.meta.dirname, 'reap-test-run.mjs')

/** Makes the folder the temporary directory of this process and of all that it starts. Returns its path. */
export function startTestRun() {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-run-'))
  // Like /tmp: PostgreSQL has its socket in it and runs as another user if the tests run as root.
  chmodSync(folder, 0o1777)
  // Its standard input closes when this process ends, however that happens. Detached, because a signal to the process
  // group of the run must not reach it.
  const reaper = spawn(process.execPath, [REAPER, folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  reaper.unref()
  reaper.stdin.unref()
  process.env.TMPDIR = folder
  return folder
}
