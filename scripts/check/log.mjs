// `npm run check -- log`: verifies the log with Go's own packages. First the test vectors of
// packages/transparency-log, then the log of a new service. `npm run check -- log <url> <vkey>` verifies the log of
// another service. Needs Go.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { makeBundler } from '../run/bundle.mjs'
import { prepare, root } from '../run/prepare.mjs'
import { runStep } from '../run/run-step.mjs'

const [url, vkey] = process.argv.slice(2)
runGo(url === undefined ? ['../vectors/log.json'] : ['live', url, vkey ?? ''])
if (url === undefined) {
  prepare()
  const program = await makeBundler()('bench/live-log.ts')
  runStep('the log of a running service', process.execPath, [program], { BENCH_ROOT: root })
}

function runGo(args) {
  const cwd = join(root, 'packages/transparency-log/go')
  const { status, error } = spawnSync('go', ['run', '.', ...args], { cwd, stdio: 'inherit' })
  if (error)
    console.error(`Go could not be started: ${error.message}. Install Go from Debian's package golang.`)
  if (status !== 0) process.exit(status ?? 2)
}
