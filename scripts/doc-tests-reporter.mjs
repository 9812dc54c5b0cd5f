// Fails a complete test run unless every test that a document names has passed. Reports nothing for a partial run,
// which cannot tell.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOCUMENTS, findUnproven, readReferences, TITLE_SEPARATOR } from './doc-tests.mjs'

/** Set this variable to `whole` to check a partial run as if it were complete. */
const FORCE_VARIABLE = 'DOC_TESTS'

export function makeDocTestsReporter() {
  let vitest
  return {
    onInit(started) {
      vitest = started
    },
    async onTestRunEnd(modules, _errors, reason) {
      if (reason === 'interrupted' || !(await isCompleteRun(vitest, modules))) return
      const references = DOCUMENTS.flatMap(({ path, sections }) =>
        readReferences(path, readFileSync(join(vitest.config.root, path), 'utf8'), sections),
      )
      const problems = findUnproven(references, modules.flatMap(listTests))
      if (problems.length === 0) {
        console.log(`documents: ${references.length} references to tests, all of which passed`)
        return
      }
      process.exitCode = 1
      console.error(`documents: ${problems.length} references to tests that did not pass:`)
      for (const problem of problems) console.error(`  ${problem}`)
    },
  }
}

async function isCompleteRun(vitest, modules) {
  if (process.env[FORCE_VARIABLE] === 'whole') return true
  if (vitest.config.testNamePattern !== undefined) return false
  const ran = new Set(modules.map(({ moduleId }) => moduleId))
  return (await vitest.globTestSpecifications()).every(({ moduleId }) => ran.has(moduleId))
}

function listTests(module) {
  return [...module.children.allTests()].map(test => ({
    file: module.relativeModuleId,
    title: buildTitle(test),
    state: test.result().state,
  }))
}

function buildTitle(test) {
  const titles = [test.name]
  for (let parent = test.parent; parent.type === 'suite'; parent = parent.parent) titles.unshift(parent.name)
  return titles.join(TITLE_SEPARATOR)
}
