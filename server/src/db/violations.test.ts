import { describe, expect, it } from 'vitest'
import { describeFault, isRetryable, revealsMissingValidation, translateDatabaseFault } from './violations.ts'

const STATUSES: Record<number, string[]> = {
  400: ['22001', '22003', '22007', '22008', '2201X', '22021', '22P02', '22P05', '54000'],
  404: ['23503'],
  409: ['23505'],
  503: [
    ...['25006', '40001', '40P01', '53000', '53100', '53200', '53300', '55P03', '57014'],
    ...['57P01', '57P02', '57P03'],
  ],
}
const cases = Object.entries(STATUSES).flatMap(([status, codes]) =>
  codes.map(code => [code, Number(status)] as const),
)

const makeFault = (code: string) => Object.assign(new Error('a fault'), { code })

describe('a database fault', () => {
  it.each(cases)('%s is %i, with Retry-After if it is temporary', (code, status) => {
    const answer = translateDatabaseFault(makeFault(code))
    expect(answer?.status).toBe(status)
    if (status === 503) expect(answer?.headers).toHaveProperty('retry-after')
  })

  it.each(['08000', '08006', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'])('of the connection is 503: %s', code =>
    expect(translateDatabaseFault(makeFault(code))?.status).toBe(503),
  )

  it.each(['42601', '42P01', 'XX000', '23514'])('that is not in the table is a bug: %s', code =>
    expect(translateDatabaseFault(makeFault(code))).toBeUndefined(),
  )

  it('names a full disk to callers, and tells them to wait for the operator', () => {
    expect(translateDatabaseFault(makeFault('53100'))).toMatchObject({
      message: expect.stringMatching(/^The disk of the database is full; /),
      headers: { 'retry-after': '30' },
    })
  })

  it.each([
    ['53100', undefined, 'The disk of the database is full: make room for PostgreSQL'],
    ['ECONNREFUSED', 'connect', 'The database does not answer'],
    ['ENOENT', 'connect', 'The database does not answer'],
    ['ENOENT', 'open', undefined],
    ['23514', undefined, undefined],
  ])('is one sentence for the operator, if the database is at fault: %s %s', (code, syscall, sentence) =>
    expect(describeFault(Object.assign(makeFault(code), { syscall }))).toBe(sentence),
  )

  it('is retried after a lost race', () => {
    const retried = ['40001', '40P01', '23505', '22021', '53300', '57014'].filter(code =>
      isRetryable(makeFault(code)),
    )
    expect(retried).toEqual(['40001', '40P01', '23505'])
  })

  it('about a bad value shows that one of our validation rules is missing', () => {
    for (const code of STATUSES[400] ?? []) expect(revealsMissingValidation(makeFault(code)), code).toBe(true)
  })
})
