// `npm run test:thorough -- kills`: kills a service under 32 writers 200 times, and verifies its log. `npm run test:thorough -- kills 20` does it 20 times.
import { prepare } from '../run/prepare.mjs'
import { getBinPath, runStep } from '../run/run-step.mjs'

const KILLS = '200'
/** Two hundred starts take longer than any other test. */
const PATIENCE_MINUTES = '60'

prepare()
runStep('kills', getBinPath('vitest'), ['run', 'server/test/log-kill'], {
  LOG_KILLS: process.argv[2] ?? KILLS,
  TEST_PATIENCE_MINUTES: PATIENCE_MINUTES,
})
