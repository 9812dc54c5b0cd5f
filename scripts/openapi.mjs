// `npm run openapi`: writes openapi.json from the operations and client/schema.ts from openapi.json.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { bin, step } from './run-step.mjs'

await prepare()
const printed = spawnSync(process.execPath, [join(root, 'server', 'dist', 'main.js'), 'openapi'], {
  encoding: 'utf8',
})
if (printed.status !== 0) {
  console.error(printed.stderr)
  process.exit(1)
}
writeFileSync(join(root, 'openapi.json'), printed.stdout)
step('client types', bin('openapi-typescript'), ['openapi.json', '--output', 'client/schema.ts'])
