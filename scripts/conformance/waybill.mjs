// `npm run conformance -- waybill`: runs the existing client's story with our own client, with our messages and exit
// codes. Arguments choose chapters.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPacked, packProgram } from '../release/pack.mjs'
import { prepare, root } from '../run/prepare.mjs'
import { translate } from './client/wording.mjs'
import { buildClientEnvironment } from './client/workspace.mjs'

const UNSUPPORTED = [
  {
    words: 'evaluate',
    reason: 'Rego is not supported: policies are evaluated by the service, by its own language',
  },
]

prepare()
const isPacked = process.argv[2] === '--packed'
const command = isPacked ? [await install()] : [process.execPath, join(root, 'cli', 'dist', 'main.js')]
const { tellStory } = await import('./client/story.mjs')
let unsupported = 0
const { passed, failed } = await tellStory(process.argv.slice(isPacked ? 3 : 2), ({ folder, service }) => {
  const program = {
    name: 'waybill',
    command,
    env: renameVariables(buildClientEnvironment(folder, service)),
  }
  return {
    translate,
    chooseProgram: step => {
      if (!UNSUPPORTED.some(({ words }) => isOf(step, words))) return program
      unsupported += 1
      return undefined
    },
  }
})
console.log(`${passed + failed} steps: ${passed} passed, ${failed} failed`)
for (const { words, reason } of UNSUPPORTED) console.log(`${unsupported} steps of "${words}": ${reason}`)
process.exitCode = failed === 0 ? 0 : 1

async function install() {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-packed-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const program = installPacked(await packProgram(folder), join(folder, 'prefix'))
  console.log(`Installed ${program}`)
  return program
}

function isOf({ run }, words) {
  return run === words || run.startsWith(`${words} `)
}

function renameVariables(env) {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name.replace(/^KOSLI_/, 'WAYBILL_'), value]),
  )
}
