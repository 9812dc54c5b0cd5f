// `npm run bench`: measures all documented performance figures, as ratios. Arguments choose files: `npm run bench --
// trail`. `npm run bench -- table` prints the figures that have an aim as one table.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeBundler } from '../run/bundle.mjs'
import { prepare, root } from '../run/prepare.mjs'
import { runStep } from '../run/run-step.mjs'
import { formatTable, TABLE_BENCHES, TABLE_ENVIRONMENT, writeTable } from './bench-table.mjs'

prepare()
const selected = process.argv.slice(2)
if (selected[0] === 'table') await printTable(selected.includes('--write'))
else await runAll(listFiles(selected), {})

function listFiles(names) {
  return readdirSync(join(root, 'bench'))
    .filter(
      file => file.endsWith('.bench.ts') && (names.length === 0 || names.some(name => file.includes(name))),
    )
    .sort()
}

async function runAll(files, env) {
  const bundle = makeBundler()
  for (const file of files) {
    runStep(file, process.execPath, [await bundle(join('bench', file))], { BENCH_ROOT: root, ...env })
  }
}

async function printTable(is_written) {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-figures-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const figures = join(folder, 'figures.jsonl')
  await runAll(TABLE_BENCHES, { ...TABLE_ENVIRONMENT, BENCH_FIGURES: figures })
  const table = formatTable(figures)
  console.log(`\n${table}`)
  if (is_written) writeTable(table)
}
