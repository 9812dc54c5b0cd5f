import { expect, it } from 'vitest'
import { computeMostMails, decideMail, type MailKind } from './mail-limit.ts'

const [OPEN, STOPPED] = [false, true]

it.each<[MailKind, boolean, number, number | null, ReturnType<typeof decideMail>]>([
  ['account', OPEN, 0, 50, 'send'],
  ['account', OPEN, 99, 50, 'send'],
  ['account', STOPPED, 99, 50, 'send'],
  ['organization', OPEN, 50, 50, 'send'],
  ['organization', OPEN, 51, 50, 'hold'],
  ['organization', OPEN, 9_999, null, 'send'],
  ['organization', STOPPED, 1, 50, 'stop'],
  ['organization', STOPPED, 51, null, 'stop'],
  ['alert', OPEN, 51, 50, 'send'],
  ['alert', STOPPED, 0, 50, 'stop'],
  ['digest', OPEN, 51, 50, 'send'],
  ['digest', STOPPED, 0, 50, 'stop'],
])('%s, stopped: %s, mail %d of %s: %s', (kind, is_stopped, sent, most, expected) => {
  expect(decideMail(kind, { is_stopped, sent, most })).toBe(expected)
})

it('allows members more than others, unless there is no limit', () => {
  expect([computeMostMails(50, false), computeMostMails(50, true)]).toEqual([50, 500])
  expect([computeMostMails(null, false), computeMostMails(null, true)]).toEqual([null, null])
})
