// `npm run openapi`: writes openapi.json from the operations, and the client's types from openapi.json.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { writeClientTypes } from './run-step.mjs'

const MAX_BYTES = 64 * 1024 * 1024

prepare()
const printed = spawnSync(process.execPath, [join(root, 'server', 'dist', 'main.js'), 'openapi'], {
  encoding: 'utf8',
  maxBuffer: MAX_BYTES,
})
if (printed.status !== 0) {
  console.error(printed.error ?? printed.stderr)
  process.exit(1)
}
writeFileSync(join(root, 'openapi.json'), printed.stdout)
writeClientTypes()
