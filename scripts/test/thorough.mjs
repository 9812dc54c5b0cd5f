// `npm run test:thorough`: the tests that no other run contains, and the random ones with many more repetitions than usual.
// With a name, `-- soak`, one of the long runs; `-- --list` lists them.
import { runCommand } from '../run/choose.mjs'
import { prepare } from '../run/prepare.mjs'
import { getBinPath, runStep } from '../run/run-step.mjs'

const FILES = [
  '.thorough.test',
  'packages/evidence-files/src/fuzz',
  'server/src/http/render-json',
  'server/test/altered-packages',
  'server/test/bookkeeping-model',
  'server/test/fuzz',
  'server/test/identity-model',
  'server/test/kill.slow',
  'server/test/log-statement-faults',
  'server/test/maker-model',
  'server/test/takeover',
  'server/test/web/entries-of-roles',
]

await runCommand('test:thorough', import.meta.dirname, () => {
  prepare()
  runStep('tests', getBinPath('vitest'), ['run', ...FILES], { TEST_THOROUGH: '1' })
})
