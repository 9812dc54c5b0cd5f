// `npm run check`: all checks that do not run the service. `npm test` begins with it. With a name, `npm run check --
// deploy`, runs one of the long checks; `-- --list` lists them.
import { pathToFileURL } from 'node:url'
import { runCommand } from '../run/choose.mjs'
import { prepare } from '../run/prepare.mjs'
import { getBinPath, runStep, writeClientTypes } from '../run/run-step.mjs'

export function check() {
  writeClientTypes()
  runStep('lint and format', getBinPath('biome'), ['check', '--error-on-warnings', '.'])
  runStep('unused code', getBinPath('knip'), ['--treat-config-hints-as-errors', '--cache'])
  checkTypes('.')
  checkTypes('web')
}

/** Keeps what it learned, so that the next time only changed files and their importers are checked. */
function checkTypes(project) {
  const kept = `node_modules/.cache/types/${project === '.' ? 'root' : project}.tsbuildinfo`
  runStep(`types of ${project}`, process.execPath, [
    'node_modules/@typescript/native/bin/tsc',
    ...['--noEmit', '--incremental', '--tsBuildInfoFile', kept, '-p', project],
  ])
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runCommand('check', import.meta.dirname, () => {
    prepare()
    check()
  })
}
