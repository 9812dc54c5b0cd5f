// `npm run conformance -- client`: runs the unmodified Go client against a new service. Needs git and a `kosli` binary,
// either KOSLI_BINARY or on PATH; without the binary it is skipped. Arguments choose chapters: `npm run
// conformance -- client flows`. A chapter may need the data of an earlier one.

import { buildClientEnvironment } from './client/workspace.mjs'
import { findClientBinary } from './client-binary.mjs'

const binary = findClientBinary()
if (binary === undefined) process.exit(0)
const { prepare } = await import('../run/prepare.mjs')
prepare()
const { tellStory } = await import('./client/story.mjs')
const { passed, failed } = await tellStory(process.argv.slice(2), ({ folder, service }) => {
  const program = { name: 'kosli', command: [binary], env: buildClientEnvironment(folder, service) }
  return { translate: step => step, chooseProgram: () => program }
})
console.log(`${passed + failed} steps: ${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
