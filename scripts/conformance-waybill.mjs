// `npm run conformance:waybill`: tells the story of the existing client with our own one, in our words and with our exit
// codes. Commands that our client does not have yet are run by the existing client if it is there, so that later steps
// find their data. Arguments choose chapters.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findBinary } from './conformance-client/binary.mjs'
import { translate } from './conformance-client/wording.mjs'
import { buildClientEnvironment } from './conformance-client/workspace.mjs'
import { prepare, root } from './prepare.mjs'

/** Written elsewhere at present. A step counts as soon as the program knows its command. */
const PENDING = ['begin trail', 'attest', 'report artifact', 'snapshot', 'fingerprint']
const UNSUPPORTED = [
  {
    words: 'evaluate',
    reason: 'Rego is not supported: policies are evaluated by the service, by its own language',
  },
]

prepare()
const waybill = [process.execPath, join(root, 'cli', 'dist', 'main.js')]
const known = new Map()
const binary = findBinary()
const { tellStory } = await import('./conformance-client/story.mjs')
const counts = { pending: 0, unsupported: 0 }
const { passed, failed } = await tellStory(process.argv.slice(2), ({ folder, service }) => {
  const env = buildClientEnvironment(folder, service)
  const own = { name: 'waybill', command: waybill, env: renameVariables(env) }
  const other = { name: 'kosli  (pending)', command: [binary], env }
  return {
    translate: (step, index) => (isPending(step) ? step : translate(step, index)),
    chooseProgram: step => {
      if (UNSUPPORTED.some(({ words }) => isOf(step, words))) {
        counts.unsupported += 1
        return undefined
      }
      if (!isPending(step)) return own
      counts.pending += 1
      return binary === undefined ? undefined : other
    },
  }
})
const own_steps = passed + failed - (binary === undefined ? 0 : counts.pending)
console.log(`${own_steps} steps of waybill; ${failed} steps failed`)
console.log(`${counts.pending} steps are pending: ${listPending().join(', ') || 'none'}`)
for (const { words, reason } of UNSUPPORTED)
  console.log(`${counts.unsupported} steps of "${words}": ${reason}`)
process.exitCode = failed === 0 ? 0 : 1

function isPending(step) {
  return PENDING.some(words => isOf(step, words)) && !isKnown(step.run.split(' ').slice(0, 2).join(' '))
}

function isOf({ run }, words) {
  return run === words || run.startsWith(`${words} `)
}

function isKnown(words) {
  if (!known.has(words)) {
    const done = spawnSync(waybill[0], [waybill[1], ...words.split(' '), '--help'], { encoding: 'utf8' })
    known.set(words, done.status === 0)
  }
  return known.get(words)
}

function listPending() {
  return [...known].flatMap(([words, is_known]) => (is_known ? [] : [words]))
}

function renameVariables(env) {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name.replace(/^KOSLI_/, 'WAYBILL_'), value]),
  )
}
