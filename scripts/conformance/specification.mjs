// `npm run conformance -- specification`: runs the API tests and writes a page with the result of each. `--to FILE`
// names the page. Arguments choose tests: `npm run conformance -- specification server/src/api/flows`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { prepare, root } from '../run/prepare.mjs'

const TESTS = ['server/src/api', 'server/test']
/** These test pages, not the API. */
const BROWSER_TESTS = 'server/test/web/**'
const WORDS = { passed: 'passes', failed: '**fails**', skipped: 'skipped', pending: 'did not end' }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string', default: 'dist/conformance.md' } },
})
const file = resolve(root, values.to)
prepare()
// Imported late, because it may have been installed only now.
const { startVitest } = await import('vitest/node')
const vitest = await startVitest('test', positionals.length > 0 ? positionals : TESTS, {
  root,
  watch: false,
  exclude: ['**/node_modules/**', BROWSER_TESTS],
  reporters: ['default', { onTestRunEnd: modules => write(writePage(modules)) }],
})
await vitest.close()

function writePage(modules) {
  const files = modules.map(({ moduleId, children }) => ({
    path: relative(root, moduleId),
    tests: [...children.allTests()].map(test => ({
      title: test.fullName.replaceAll(' > ', ' › '),
      state: test.result().state,
    })),
  }))
  const states = files.flatMap(({ tests }) => tests.map(({ state }) => state))
  const count = state => states.filter(each => each === state).length
  const folders = [...new Set(files.map(({ path }) => dirname(path)))].sort()
  return [
    '# Conformance',
    '',
    `${new Date().toISOString().slice(0, 10)}: ${count('passed')} tests pass, ${count('failed')} fail, ${count('skipped')} were skipped.`,
    ...folders.flatMap(folder => writeFolder(folder, files)),
    '',
  ].join('\n')
}

function writeFolder(folder, files) {
  const inside = files.filter(({ path }) => dirname(path) === folder)
  return ['', `## ${folder}`, ...inside.flatMap(writeFile)]
}

function writeFile({ path, tests }) {
  const rows = tests.map(({ title, state }) => `| ${title.replaceAll(/[\\|<]/g, '\\$&')} | ${WORDS[state]} |`)
  return ['', `### ${path}`, '', '| Test | Result |', '|---|---|', ...rows]
}

function write(page) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, page)
  console.log(`Wrote ${file}`)
}
