// A shell in which tests paste the commands of pages.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../../scripts/run/prepare.mjs'
import { addCleanUp } from '../service.ts'

const run = promisify(execFile)

export interface Shell {
  /** Resolves with the command's output. */
  paste(command: string): Promise<string>
  write(name: string, content: string): Promise<void>
}

/** A shell in an empty folder, with the command line of this tree and a key. */
export async function makeShell(key: string): Promise<Shell> {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-shell-'))
  addCleanUp(() => rm(folder, { recursive: true }))
  const program = `exec '${process.execPath}' '${join(root, 'cli/dist/main.js')}' "$@"`
  await writeFile(join(folder, 'waybill'), `#!/bin/sh\n${program}\n`, { mode: 0o755 })
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, API_KEY: key, WAYBILL_API_TOKEN: key }
  return {
    paste: async (command: string) => (await run('bash', ['-c', command], { cwd: folder, env })).stdout,
    write: (name: string, content: string) => writeFile(join(folder, name), content),
  }
}
