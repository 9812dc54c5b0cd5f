// The lock on the data directory, with abstract names and with a socket file.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { until } from '@waybill/testing/patience'
import { describe, expect, it } from 'vitest'
import { listenOnFile, lockDataDirectory } from './data-directory.ts'
import { makeScratch } from './test-service.ts'

describe('the lock', () => {
  it('locks the data directory', async () => {
    const data_dir = await makeScratch()
    const lock = await lockDataDirectory(data_dir)
    const second = lockDataDirectory(path.join(data_dir, '.', ''))
    await expect(second).rejects.toThrow(
      `The data directory ${data_dir} is in use by another Waybill process`,
    )
    await expect(lockDataDirectory(data_dir)).rejects.toMatchObject({ name: 'DataDirectoryInUse' })
    const other = await lockDataDirectory(await makeScratch())
    await lock.release()
    await lock.release()
    await (await lockDataDirectory(data_dir)).release()
    await other.release()
  })

  it('locks with a socket file if there are no abstract names, unless its owner is dead', async () => {
    const file = path.join(await makeScratch(), 'lock.sock')
    const listening = await listenOnFile(file)
    expect(listening).toBeInstanceOf(net.Server)
    expect(await listenOnFile(file)).toBeUndefined()
    listening?.close()
    const owner = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(file)})`,
    ])
    await until(async () => (await readdir(path.dirname(file))).includes('lock.sock'))
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    expect(await readdir(path.dirname(file))).toContain('lock.sock')
    const reclaimed = await listenOnFile(file)
    expect(reclaimed).toBeInstanceOf(net.Server)
    reclaimed?.close()
  })
})
