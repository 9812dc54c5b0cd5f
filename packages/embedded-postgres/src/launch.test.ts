import { closeSync, openSync } from 'node:fs'
import { expect, it } from 'vitest'
import { launch } from './launch.ts'

const { getuid = () => 0, getgid = () => 0 } = process

it('notices the exit of a short-lived program, however long the rest of the launch takes', async () => {
  const output = openSync('/dev/null', 'w')
  const launched = await launch({
    file: '/bin/false',
    account: { uid: getuid(), gid: getgid() },
    needs: Array.from({ length: 200 }, () => '/'),
    args: () => [],
    output,
  })
  closeSync(output)
  expect(await launched.exited).toBe('exited with code 1')
})
