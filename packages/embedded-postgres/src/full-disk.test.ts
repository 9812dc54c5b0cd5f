import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { explainFailure } from './full-disk.ts'
import { PostgresProblem } from './problem.ts'

const error = new Error('PostgreSQL exited with code 1')
const explain = (failure: Error, output: string) => explainFailure(tmpdir(), failure, output)

describe('a failure of PostgreSQL', () => {
  it.each([
    [
      'PostgreSQL says so',
      error,
      'FATAL:  could not write to file "pg_wal/xlogtemp.1": No space left on device',
    ],
    ['a quota is used up', error, 'FATAL:  could not write lock file "postmaster.pid": Disk quota exceeded'],
    ['this program cannot write either', Object.assign(new Error('write'), { code: 'ENOSPC' }), ''],
  ])('is explained by a full disk if %s', async (_, failure, output) => {
    const explained = await explain(failure, output)
    expect(explained).toBeInstanceOf(PostgresProblem)
    expect(explained).toMatchObject({
      message: expect.stringContaining(`The disk of the data directory ${tmpdir()} is full`),
      cause: failure,
    })
  })

  it('stays as it is otherwise', async () => {
    expect(await explain(error, 'FATAL:  invalid value for parameter "shared_buffers": "plenty"')).toBe(error)
  })
})
