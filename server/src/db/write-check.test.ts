import { describe, expect, it } from 'vitest'
import { explainWriteFault, type KnownDisk } from './write-check.ts'

const fail = (code: string | undefined, message = '') => Object.assign(new Error(message), { code })
const ROOMY: KnownDisk = { is_full: false, was_full: false }

describe('the reason of a database that cannot be written', () => {
  it.each([
    ['a full disk', fail('53100'), ROOMY, 'the database cannot be written: its disk is full'],
    ['a standby', fail('25006'), ROOMY, 'the database cannot be written: it is read-only'],
    ['another error', fail('XX000'), ROOMY, 'the database cannot be written: SQLSTATE XX000'],
    ['no answer', fail('ECONNREFUSED'), ROOMY, 'the database does not answer'],
    [
      'no answer, on a disk that is known to be full',
      fail('ECONNREFUSED'),
      { is_full: true, was_full: false },
      'the database cannot be written: its disk is full',
    ],
    [
      'no answer, after the disk was full',
      fail(undefined, 'Connection terminated unexpectedly'),
      { is_full: false, was_full: true },
      'the database does not answer, and before that its disk was full',
    ],
  ])('names %s', (_, error, disk, reason) => expect(explainWriteFault(error, disk)).toBe(reason))
})
