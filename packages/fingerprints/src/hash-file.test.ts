import { createHash } from 'node:crypto'
import { symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fingerprintFile } from './hash-file.ts'
import { expectProblem } from './problem.testing.ts'
import type { Reason } from './problem.ts'
import { makePipe, makeScratch } from './tree.testing.ts'

const MIB = 1024 * 1024

describe('the fingerprint of a file', () => {
  it.each([0, 1, 4095, 4096, 4097, MIB - 1, MIB, MIB + 1, 3 * MIB, 5 * MIB + 17])(
    'is the SHA-256 of its %d bytes',
    async size => {
      const path = join(await makeScratch(), 'file')
      const content = Buffer.alloc(size, 'all blocks differ, because this is no divisor of a block. ')
      await writeFile(path, content)
      const fingerprint = createHash('sha256').update(content).digest('hex')
      expect(await fingerprintFile(path)).toEqual({ fingerprint, size, warnings: [] })
    },
  )

  it('covers the target of a link', async () => {
    const scratch = await makeScratch()
    await writeFile(join(scratch, 'file'), 'x')
    await symlink('file', join(scratch, 'link'))
    expect(await fingerprintFile(join(scratch, 'link'))).toEqual(await fingerprintFile(join(scratch, 'file')))
  })

  it('needs no name in UTF-8', async () => {
    const path = Buffer.concat([Buffer.from(`${await makeScratch()}/`), Buffer.from([0xff, 0xfe])])
    await writeFile(path, 'x')
    expect((await fingerprintFile(path)).size).toBe(1)
  })

  it('covers a file that states no size', async () => {
    expect((await fingerprintFile('/proc/self/status')).size).toBeGreaterThan(100)
  })
})

describe('no fingerprint of a file', () => {
  const refuse = (path: string, reason: Reason, message: RegExp | string) =>
    expectProblem(fingerprintFile(path), reason, message)

  it('has a folder', async () => {
    await refuse(await makeScratch(), 'invalid', /is a folder, .* of a folder\.$/)
  })

  it('has a pipe, and does not wait for a writer', async () => {
    const path = join(await makeScratch(), 'pipe')
    makePipe(path)
    await refuse(path, 'invalid', /is a pipe/)
  })

  it('has a socket', async () => {
    const path = join(await makeScratch(), 'socket')
    const server = createServer()
    await new Promise<void>(resolve => server.listen(path, resolve))
    onTestFinished(() => void server.close())
    await refuse(path, 'invalid', /is a socket/)
  })

  it('has a device', async () => {
    await refuse('/dev/null', 'invalid', /"\/dev\/null" is a device/)
  })

  it('has a path that does not exist', async () => {
    await refuse('/nowhere/at all', 'not_found', '"/nowhere/at all" does not exist. Check the path.')
  })

  it('has an empty path', async () => {
    await refuse('', 'invalid', /path of the file is empty/)
  })

  it('has a name that could change the terminal, and the message escapes it', async () => {
    await refuse(
      '/nowhere/\u001b[2J\u009b\u202e',
      'not_found',
      '"/nowhere/\\u001b[2J\\u009b\\u202e" does not exist. Check the path.',
    )
  })
})
