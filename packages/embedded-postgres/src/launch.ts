// Starts one PostgreSQL program as the right user. That user cannot enter root's data directory, so it inherits open
// file descriptors and refers to them through /proc.
import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Account } from './account.ts'
import { makeServerProcess, type ServerProcess } from './server-process.ts'

export interface Program {
  file: string
  account: Account | undefined
  /** Paths that the program needs; `args` receives the names under which it can open them, in the same order. */
  needs: string[]
  args: (names: string[]) => string[]
  /** Descriptor for stdout and stderr. */
  output: number
}

const FIRST_FREE_DESCRIPTOR = 3
// Nothing is inherited: the database must not see our secrets, and PG* variables would change its settings.
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export async function launch(program: Program): Promise<ServerProcess> {
  const handles = program.account === undefined ? [] : await openAll(program.needs)
  const names =
    program.account === undefined
      ? program.needs
      : program.needs.map((_, i) => `/proc/self/fd/${FIRST_FREE_DESCRIPTOR + i}`)
  try {
    const child = spawn(program.file, program.args(names), {
      cwd: '/',
      env: ENVIRONMENT,
      // Ctrl-C signals the whole foreground process group, but the database must outlive the last request.
      detached: true,
      stdio: ['ignore', program.output, program.output, ...handles.map(handle => handle.fd)],
      ...program.account,
    })
    // Attaches its listeners immediately: a short-lived program may exit before the handles are closed.
    return makeServerProcess(child)
  } finally {
    await closeAll(handles)
  }
}

async function openAll(files: string[]): Promise<FileHandle[]> {
  const handles: FileHandle[] = []
  try {
    for (const file of files) handles.push(await open(file, constants.O_RDONLY))
    return handles
  } catch (error) {
    await closeAll(handles)
    throw error
  }
}

async function closeAll(handles: FileHandle[]): Promise<void> {
  for (const handle of handles) await handle.close()
}
