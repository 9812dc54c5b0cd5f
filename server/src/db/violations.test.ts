// Compares the status of each SQLSTATE with the table in docs/operations.md.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readStatements } from '../../../scripts/doc-tests.mjs'
import { root } from '../../../scripts/prepare.mjs'
import { isRetryable, revealsMissingValidation, translateDatabaseFault } from './violations.ts'

/** [SQLSTATE, status] for every value in the table. */
const documented = readStatements(readFileSync(join(root, 'docs', 'operations.md'), 'utf8'), [
  'Database faults',
]).flatMap(({ cells: [values = '', , answer = ''] }) =>
  [...values.matchAll(/`(\w{5})`/g)].map(([, code = '']): [string, number] => [
    code,
    Number(answer.slice(0, 3)),
  ]),
)

const makeFault = (code: string) => Object.assign(new Error('a fault'), { code })

describe('a database fault', () => {
  it('is documented with its status: more than twenty of them', () => {
    expect(documented.length).toBeGreaterThan(20)
  })

  it.each(documented)('%s is %i, with Retry-After if it is temporary', (code, status) => {
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

  it('is retried after a lost race', () => {
    const retried = ['40001', '40P01', '23505', '22021', '53300', '57014'].filter(code =>
      isRetryable(makeFault(code)),
    )
    expect(retried).toEqual(['40001', '40P01', '23505'])
  })

  it('about a bad value shows that one of our validation rules is missing', () => {
    const bad = documented.filter(([, status]) => status === 400)
    expect(bad.length).toBeGreaterThan(5)
    for (const [code] of bad) expect(revealsMissingValidation(makeFault(code)), code).toBe(true)
  })
})
