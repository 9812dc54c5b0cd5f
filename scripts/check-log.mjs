// `npm run check:log`: verifies the test vectors of packages/transparency-log with Go's own packages. Needs Go.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './build.mjs'

const folder = join(root, 'packages/transparency-log/go')
const { status, error } = spawnSync('go', ['run', '.', '../vectors/log.json'], {
  cwd: folder,
  stdio: 'inherit',
})
if (error)
  console.error(`Go could not be started: ${error.message}. Install Go from Debian's package golang.`)
process.exit(status ?? 2)
