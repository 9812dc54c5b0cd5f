// `npm run api:diff`: compares the API document with the last release, `npm run api:diff -- <git revision>` with a
// revision. Exits with 1 if a client of the older document could break; `--allow-breaking` only reports and exits
// with 0.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { OPENAPI, root } from '../run/build.mjs'
import { prepare } from '../run/prepare.mjs'
import { compareDocuments } from './api-diff/compare.mjs'
import { COMMITTED_OPENAPI, prepareVersion, readOpenapi } from './upgrade/program.mjs'

const options = process.argv.slice(2)
const revision = options.find(option => !option.startsWith('--')) ?? findLastRelease()
const commit = git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`)
if (commit === undefined) fail(`There is no git revision ${revision}`)
prepare()
const findings = compareDocuments(readOlder(), JSON.parse(readFileSync(OPENAPI, 'utf8')))
const breaking = findings.filter(finding => finding.breaking)
for (const { breaking, where, what } of findings)
  console.log(`${breaking ? 'BREAKING' : '        '} ${where}: ${what}`)
console.log(`${findings.length} changes since ${revision}, ${breaking.length} of them breaking`)
if (breaking.length > 0 && !options.includes('--allow-breaking')) process.exit(1)

function findLastRelease() {
  const tag = git('describe', '--tags', '--match', 'v[0-9]*', '--abbrev=0')
  return tag ?? fail('There is no release yet. Specify a git revision, for example: npm run api:diff -- main')
}

/** Builds the revision, unless it is an old one that has the document committed. */
function readOlder() {
  const committed = git('show', `${commit}:${COMMITTED_OPENAPI}`)
  return committed === undefined ? readOpenapi(prepareVersion(commit)) : JSON.parse(committed)
}

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
  return status === 0 ? stdout.trim() : undefined
}

function fail(message) {
  console.error(message)
  process.exit(2)
}
