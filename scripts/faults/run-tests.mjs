// One run of vitest, with or without a fault, in a separate process: run.mjs forks it with the request as its
// argument and gets the verdict as a message.
import { join } from 'node:path'
import { createVitest } from 'vitest/node'
import { root } from '../run/build.mjs'
import { getAlteration } from './plant.mjs'

const { config, fault, files, lists } = JSON.parse(process.argv[2])
const options = { root, config, watch: false, reporters: [{}] }

// However run.mjs ends.
process.once('disconnect', () => process.exit(1))
process.send(lists ? await listFiles() : await runTests(), () => process.exit())

/** The configuration's test files that the vitest arguments select. */
async function listFiles() {
  const vitest = await createVitest('test', options)
  const found = await vitest.globTestSpecifications(files)
  await vitest.close()
  return found.map(({ moduleId }) => moduleId)
}

async function runTests() {
  // Without a fault, every failure is worth knowing.
  const plugins = fault ? [makePlugin()] : []
  const run = { ...options, ...(fault ? { bail: 1, maxWorkers: 1 } : {}) }
  const vitest = await createVitest('test', run, { plugins })
  try {
    await vitest.start(files)
    return getVerdict(vitest.state)
  } catch (error) {
    return { kind: 'broken', reason: getFirstLine(error) }
  } finally {
    await vitest.close()
  }
}

function makePlugin() {
  const alteration = getAlteration(fault)
  return {
    name: 'faults',
    enforce: 'pre',
    config: () => (fault.sql ? { test: { globalSetup: join(import.meta.dirname, 'plant-sql.mjs') } } : {}),
    configureVitest: ({ vitest }) => vitest.provide('planted_sql', fault.sql ?? ''),
    transform: (text, id) =>
      alteration && id.split('?', 1)[0] === join(root, alteration.file) ? alteration.alter(text) : undefined,
  }
}

/** Only a failed test counts: code that cannot be loaded or a broken setup proves nothing about the tests. */
function getVerdict(state) {
  const modules = state.getTestModules()
  for (const module of modules) {
    const [failed] = module.children.allTests('failed')
    if (!failed) continue
    const [error] = failed.result().errors
    return { kind: 'caught', file: module.moduleId, title: failed.fullName, reason: getFirstLine(error) }
  }
  const broken = modules.find(module => module.state() === 'failed')
  const [error] = broken?.errors() ?? state.getUnhandledErrors()
  if (broken || error) return { kind: 'broken', reason: getFirstLine(error) ?? `${broken.moduleId} failed` }
  if (modules.length === 0) return { kind: 'broken', reason: 'no test ran' }
  return { kind: 'survived' }
}

function getFirstLine(error) {
  return error?.message.split('\n', 1)[0]
}
