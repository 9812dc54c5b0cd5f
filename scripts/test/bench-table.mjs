// `npm run bench -- table`: prints the figures that have an aim as one table. With `--write`, it writes
// docs/figures.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { root } from '../run/prepare.mjs'

/** In the order of the table. */
export const TABLE_BENCHES = [
  'ingest',
  'lookups',
  'reports',
  'snapshots',
  'policies',
  'large-trail',
  'growth',
  'two-processes',
  'cli',
  'reporter-memory',
  'upload',
].map(name => `${name}.bench.ts`)

/** Settings that the table needs but that take too long for everyday use. */
export const TABLE_ENVIRONMENT = { BENCH_SIZES: '10000,100000,500000,1000000' }

const DOCUMENT = join(root, 'docs', 'figures.md')
const HEAD = `# Figures

The last run of \`npm run bench -- table --write\`; [performance.md](performance.md) says what they mean, and why some miss
their aim.`
const BYTES_PER_GIB = 2 ** 30

export function formatTable(figures_file) {
  const lines = existsSync(figures_file) ? readFileSync(figures_file, 'utf8').trim().split('\n') : []
  const rows = []
  let title = ''
  for (const line of lines.map(text => JSON.parse(text))) {
    if (line.title !== undefined) title = line.title
    else if (line.note !== undefined) rows.push([title, line.note, '', ''])
    else if (line.aim !== '') rows.push([title, line.name, line.shown, line.aim])
  }
  const shown = rows.map((row, i) => (row[0] === rows[i - 1]?.[0] ? ['', ...row.slice(1)] : row))
  return [
    describeRun(new Date()),
    '',
    '| Measured | Figure | Value (lowest–highest) | Aim |',
    '|---|---|---|---|',
    ...shown.map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ].join('\n')
}

function describeRun(now) {
  const [cpu] = cpus()
  const gib = Math.round(totalmem() / BYTES_PER_GIB)
  const machine = `${cpus().length} × ${cpu?.model ?? 'unknown'} (${process.arch}), ${gib} GiB`
  return `Measured on ${now.toISOString().slice(0, 10)}: ${machine}, Node ${process.versions.node}.`
}

export const writeTable = table => writeFileSync(DOCUMENT, `${HEAD}\n\n${table}\n`)
