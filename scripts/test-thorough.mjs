// `npm run test:thorough`: the tests that repeat what is left to chance, with far more repetitions than in every run.

import { prepare } from './prepare.mjs'
import { bin, step } from './run-step.mjs'

const FILES = [
  'server/test/kill',
  'server/test/delivery-kill',
  'server/test/rotation-kill',
  'server/test/bookkeeping-model',
  'server/test/identity-model',
  'server/test/takeover',
]

prepare()
step('tests', bin('vitest'), ['run', ...FILES], { TEST_THOROUGH: '1' })
