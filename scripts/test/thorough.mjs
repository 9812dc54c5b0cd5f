// `npm run test:thorough`: runs the randomized tests with many more repetitions than usual. With a name, `-- soak`, one of the
// long runs; `-- --list` lists them.
import { runCommand } from '../run/choose.mjs'
import { prepare } from '../run/prepare.mjs'
import { getBinPath, runStep } from '../run/run-step.mjs'

const FILES = [
  'server/test/kill',
  'server/test/log-kill',
  'server/test/log-statement-faults',
  'server/test/delivery-kill',
  'server/test/rotation-kill',
  'server/test/audit-sink-kill',
  'server/test/fuzz',
  'server/test/bookkeeping-model',
  'server/test/identity-model',
  'server/test/takeover',
]

await runCommand('test:thorough', import.meta.dirname, () => {
  prepare()
  runStep('tests', getBinPath('vitest'), ['run', ...FILES], { TEST_THOROUGH: '1' })
})
