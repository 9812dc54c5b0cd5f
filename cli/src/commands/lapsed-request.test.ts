import { expect, it } from 'vitest'
import { explainLapse } from './lapsed-request.ts'

it('says whose request has lapsed, and why', () => {
  const lapsed_request = {
    id: 'x',
    asked_by: 'mia',
    reason: 'A false alarm',
    lapse_reason: "'scan' was reported",
  }
  expect(explainLapse({ lapsed_request })).toBe(". The request of mia has lapsed: 'scan' was reported")
})

it.each([[{ lapsed_request: null }], [{}], [null], ['OK']])('says nothing about %j', answer => {
  expect(explainLapse(answer)).toBe('')
})
