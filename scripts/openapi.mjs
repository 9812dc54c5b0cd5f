// `npm run openapi`: writes openapi.json from the operations, and client/schema.ts and docs/reference from
// openapi.json.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { runStep } from './run-step.mjs'

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
// Imported only now, because its packages may not be installed before `prepare`.
const { buildClientTypes } = await import('./client-types.mjs')
writeFileSync(join(root, 'client', 'schema.ts'), await buildClientTypes(JSON.parse(printed.stdout)))
runStep('reference pages', process.execPath, [join(root, 'scripts', 'reference.mjs')])
