// `npm run test:thorough`: the tests that repeat what is left to chance, with far more repetitions than in every run.

import { prepare } from './prepare.mjs'
import { getBinPath, runStep } from './run-step.mjs'

const FILES = [
  'server/test/kill',
  'server/test/delivery-kill',
  'server/test/rotation-kill',
  'server/test/bookkeeping-model',
  'server/test/identity-model',
  'server/test/takeover',
]

prepare()
runStep('tests', getBinPath('vitest'), ['run', ...FILES], { TEST_THOROUGH: '1' })
