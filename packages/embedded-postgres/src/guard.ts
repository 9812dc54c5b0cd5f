// Ends PostgreSQL if this program is killed: a shell waits at the end of a pipe whose other end only this program has. The
// system closes it however the program ends, and the shell then tells PostgreSQL to shut down. It knows PostgreSQL by its
// process id, so it leaves alone what a newer start runs in the same directory.
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Account } from './account.ts'
import type { ServerProcess } from './server-process.ts'

/** PostgreSQL's own initdb needs this shell too. */
const SHELL = '/bin/sh'
const WAIT = 'read -r _ || kill -INT "$1"'
export const GUARD_NAME = 'waybill-postgres-guard'

/** Without a shell, the next start ends what is left behind. */
export function guardServer(server: ServerProcess, account: Account | undefined): void {
  const { pid } = server
  if (pid === undefined) return
  const guard = spawn(SHELL, ['-c', WAIT, GUARD_NAME, String(pid)], {
    cwd: '/',
    env: {},
    // Ctrl-C and the end of a terminal signal the whole process group.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    ...account,
  })
  guard.on('error', () => undefined)
  guard.stdin.on('error', () => undefined)
  guard.unref()
  ;(guard.stdin as Socket).unref()
  // A line dismisses it before another program can get the process id.
  void server.exited.then(() => guard.stdin.end('over\n'))
}
