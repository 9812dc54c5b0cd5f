// `npm run api:diff -- <git revision>`: compares openapi.json with that of a revision. Exits with 1 if a client of the
// older document could break; `--allow-breaking` only reports and exits with 0.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run/build.mjs'
import { compareDocuments } from './api-diff/compare.mjs'

const options = process.argv.slice(2)
const revision = options.find(option => !option.startsWith('--'))
if (revision === undefined) fail('Specify a git revision, for example: npm run api:diff -- v0.1.0')
const shown = spawnSync('git', ['show', `${revision}:openapi.json`], { cwd: root, maxBuffer: 2 ** 28 })
if (shown.status !== 0) fail(`There is no openapi.json at ${revision}: ${shown.stderr}`)

const findings = compareDocuments(
  JSON.parse(shown.stdout),
  JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')),
)
const breaking = findings.filter(finding => finding.breaking)
for (const { breaking, where, what } of findings)
  console.log(`${breaking ? 'BREAKING' : '        '} ${where}: ${what}`)
console.log(`${findings.length} changes since ${revision}, ${breaking.length} of them breaking`)
if (breaking.length > 0 && !options.includes('--allow-breaking')) process.exit(1)

function fail(message) {
  console.error(message)
  process.exit(2)
}
