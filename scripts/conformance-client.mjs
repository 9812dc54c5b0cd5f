// `npm run conformance:client`: runs the unmodified Go client against a new service. Needs git and a `kosli` binary,
// either KOSLI_BINARY or on PATH; without the binary it is skipped. Arguments choose chapters: `npm run
// conformance:client -- flows`. A chapter may need the data of an earlier one.
import { join } from 'node:path'
import { findClientBinary } from './client-binary.mjs'
import { buildClientEnvironment, makeWorkspace } from './conformance-client/workspace.mjs'

const binary = findClientBinary()
if (binary === undefined) process.exit(0)
const { prepare } = await import('./prepare.mjs')
prepare()
const { startService } = await import('./conformance-client/service.mjs')
const { runChapters } = await import('./conformance-client/runner.mjs')
const { chapters } = await import('./conformance-client/chapters.mjs')

const selected = process.argv.slice(2)
const unknown = selected.filter(name => !chapters.some(({ title }) => title === name))
if (unknown.length > 0) {
  console.error(
    `Unknown chapter: ${unknown.join(', ')}. Choose from: ${chapters.map(({ title }) => title).join(', ')}`,
  )
  process.exit(1)
}
const workspace = makeWorkspace()
let service
const stop = async () => {
  await service?.stop()
  workspace.remove()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop().finally(() => process.exit(1)))
try {
  service = await startService(join(workspace.folder, 'data'))
  const { passed, failed } = await runChapters({
    binary,
    chapters: chapters.filter(({ title }) => selected.length === 0 || selected.includes(title)),
    folder: workspace.folder,
    env: buildClientEnvironment(workspace.folder, service),
    variables: { ...workspace.variables, host: service.url, key: service.key },
  })
  console.log(`${passed + failed} steps: ${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  await stop()
}
