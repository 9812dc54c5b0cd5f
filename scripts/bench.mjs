// `npm run bench`: measures all documented performance figures, as ratios. Arguments choose files: `npm run bench --
// trail`.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeBundler } from './bundle.mjs'
import { prepare, root } from './prepare.mjs'
import { runStep } from './run-step.mjs'

prepare()
const selected = process.argv.slice(2)
const files = readdirSync(join(root, 'bench'))
  .filter(
    file =>
      file.endsWith('.bench.ts') && (selected.length === 0 || selected.some(name => file.includes(name))),
  )
  .sort()
const bundle = makeBundler()
for (const file of files) {
  runStep(file, process.execPath, [await bundle(join('bench', file))], { BENCH_ROOT: root })
}
