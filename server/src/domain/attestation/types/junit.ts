// The type `junit`: the results of a test run, by suite.
import { type Static, Type } from 'typebox'
import { about, Closed, Described, FreeText } from '../../schema.ts'
import { type AttestationVerdict, defineAttestationType } from '../define-type.ts'
import { Count, MAX_ITEMS } from '../fields.ts'
import { formatCount, formatNames, sum } from '../phrases.ts'

const JunitSuite = Closed('JunitSuite', {
  name: Described(FreeText, 'Name of the test suite', 'unit'),
  failures: Described(Count, 'Number of failed tests', 0),
  errors: Described(Count, 'Number of tests that ended with an error', 0),
  skipped: Described(Count, 'Number of skipped tests', 1),
  total: Described(Count, 'Number of tests', 312),
  duration: Type.Number({ description: 'Duration of the test run in seconds' }),
  timestamp: Type.Optional(Type.Number(about('Time of the test run, in epoch seconds', 1_772_535_600))),
})

export const junit = defineAttestationType({
  name: 'junit',
  subject: 'test results',
  summary: 'Compliant when there is a suite, and none has failures or errors',
  fields: {
    junit_results: Type.Array(JunitSuite, {
      maxItems: MAX_ITEMS,
      description: 'One entry for each test suite',
    }),
  },
  evaluate: ({ junit_results }) => evaluateSuites(junit_results),
  example: {
    attestation_name: 'unit-tests',
    junit_results: [
      {
        name: 'orders',
        failures: 0,
        errors: 0,
        skipped: 1,
        total: 128,
        duration: 14.25,
        timestamp: 1_772_530_412.5,
      },
      { name: 'billing', failures: 0, errors: 0, skipped: 0, total: 64, duration: 3.5 },
    ],
  },
  command: { junit_results: 'YOUR_TEST_RESULTS' },
  arguments: ['junit', '--results-dir', 'YOUR_TEST_RESULTS'],
})

function evaluateSuites(suites: readonly Static<typeof JunitSuite>[]): AttestationVerdict {
  const failures = sum(suites.map(suite => suite.failures))
  const errors = sum(suites.map(suite => suite.errors))
  const bad = suites.filter(suite => suite.failures > 0 || suite.errors > 0)
  const totals = `${formatCount(failures, 'failure')} and ${formatCount(errors, 'error')}`
  return {
    is_compliant: suites.length > 0 && bad.length === 0,
    expected: 'at least one test suite, without failures and errors',
    found:
      suites.length === 0
        ? 'no test suite'
        : `${totals} in ${formatCount(suites.length, 'test suite')}${formatNames(bad.map(suite => suite.name ?? ''))}`,
  }
}
