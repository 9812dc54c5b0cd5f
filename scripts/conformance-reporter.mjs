// After a run of the whole suite: every statement of docs/conformance.md was shown by a test that passed, or the run
// fails. A run of some of the tests cannot tell, so nothing is said then.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readStatements, TITLE_SEPARATOR, unshown } from './conformance.mjs'

/** Set to `whole` to have a run of a few files judged as if it were all. */
const FORCED = 'CONFORMANCE'

export function conformanceReporter() {
  let vitest
  return {
    onInit(started) {
      vitest = started
    },
    async onTestRunEnd(modules, _errors, reason) {
      if (reason === 'interrupted' || !(await isWhole(vitest, modules))) return
      const statements = readStatements(readFileSync(join(vitest.config.root, 'docs/conformance.md'), 'utf8'))
      const problems = unshown(statements, modules.flatMap(testsOf))
      if (problems.length === 0) {
        console.log(`conformance: ${statements.length} statements, all shown by a passing test`)
        return
      }
      process.exitCode = 1
      console.error(`conformance: ${problems.length} of ${statements.length} statements are not shown:`)
      for (const problem of problems) console.error(`  ${problem}`)
    },
  }
}

async function isWhole(vitest, modules) {
  if (process.env[FORCED] === 'whole') return true
  if (vitest.config.testNamePattern !== undefined) return false
  const ran = new Set(modules.map(({ moduleId }) => moduleId))
  return (await vitest.globTestSpecifications()).every(({ moduleId }) => ran.has(moduleId))
}

function testsOf(module) {
  return [...module.children.allTests()].map(test => ({
    file: module.relativeModuleId,
    title: titleOf(test),
    state: test.result().state,
  }))
}

function titleOf(test) {
  const titles = [test.name]
  for (let parent = test.parent; parent.type === 'suite'; parent = parent.parent) titles.unshift(parent.name)
  return titles.join(TITLE_SEPARATOR)
}
