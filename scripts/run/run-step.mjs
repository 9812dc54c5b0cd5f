// Runs one step of a script and exits if it fails, so that a script reads as a list of steps.
import { spawnSync } from 'node:child_process'
import { root } from './prepare.mjs'

export function runStep(title, command, args, env = {}) {
  console.error(`— ${title}`)
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
  if (done.status !== 0) {
    console.error(`Failed: ${title}`)
    process.exit(done.status ?? 1)
  }
}

/** After a build. In a separate process: its packages may have been installed only now. */
export function writeClientTypes() {
  runStep('types of the client', process.execPath, ['scripts/run/client-types.mjs'])
}

export const getBinPath = name => `node_modules/.bin/${name}`
