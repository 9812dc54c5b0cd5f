// Creates, starts and finds a real embedded PostgreSQL, in a separate data directory for each test.
import { chmod, readdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { locateBinaries } from './binaries.ts'
import { findRunningPostgres } from './embedded.ts'
import { login, makeScratch, queryRows, readMode, settings, start } from './test-service.ts'

describe('starting', () => {
  it('creates a private database with durable defaults that listens on a Unix socket only', async () => {
    const data_dir = path.join(await makeScratch(), 'not', 'there', 'yet')
    const running = await start({ data_dir, ...login })
    expect(await queryRows(running.address, "select current_database() || '/' || current_user as a")).toEqual(
      [{ a: 'waybill/waybill' }],
    )
    for (const [name, value] of [
      ['listen_addresses', ''],
      ['fsync', 'on'],
      ['synchronous_commit', 'on'],
      ['full_page_writes', 'on'],
      ['unix_socket_permissions', '0700'],
      ['server_encoding', 'UTF8'],
    ]) {
      expect(await queryRows(running.address, `show ${name}`)).toEqual([{ [name ?? '']: value }])
    }
    expect(await readMode(data_dir)).toBe(0o700)
    expect(await readMode(path.join(data_dir, 'postgres'))).toBe(0o700)
    expect(await readMode(path.join(data_dir, 'postgres.log'))).toBe(0o600)
    expect(await readMode(running.address.host)).toBe(0o700)
    expect((await readdir(data_dir)).sort()).toEqual(['postgres', 'postgres.log'])
    expect(await readFile(path.join(data_dir, 'postgres', 'PG_VERSION'), 'utf8')).toBe('18\n')
  })

  it('keeps the data, removes its socket directory and makes an open data directory private', async () => {
    const data_dir = await makeScratch()
    const first = await start({ data_dir, ...login, settings })
    await queryRows(first.address, 'create table kept as select 42 as answer')
    await Promise.all([first.stop(), first.stop()])
    await first.stop()
    expect(first.pid()).toBeUndefined()
    await expect(stat(first.address.host)).rejects.toThrow('ENOENT')
    await chmod(data_dir, 0o755)
    const second = await start({ data_dir, ...login, settings })
    expect(await queryRows(second.address, 'select answer from kept')).toEqual([{ answer: 42 }])
    expect(await readMode(data_dir)).toBe(0o700)
  })

  it('requires the password', async () => {
    const data_dir = await makeScratch()
    const first = await start({ data_dir, ...login, settings })
    await expect(queryRows({ ...first.address, password: 'wrong' }, 'select 1')).rejects.toThrow('password')
    await first.stop()
    const other = start({ data_dir, ...login, password: 'another one', settings })
    await expect(other).rejects.toThrow('PostgreSQL rejected the stored password')
  })

  it('uses SCRAM passwords, inherits none of our environment variables and is not root', async () => {
    process.env.WAYBILL_CANARY = 'sings'
    const running = await start({ data_dir: await makeScratch(), ...login, settings })
    delete process.env.WAYBILL_CANARY
    expect(await queryRows(running.address, 'select distinct auth_method from pg_hba_file_rules')).toEqual([
      { auth_method: 'scram-sha-256' },
    ])
    const runInDatabase = async (program: string) => {
      await queryRows(running.address, 'drop table if exists seen; create table seen (line text)')
      await queryRows(running.address, `copy seen from program '${program}'`)
      const lines = (await queryRows(running.address, 'select line from seen')) as { line: string }[]
      return lines.map(({ line }) => line)
    }
    expect((await runInDatabase('env')).filter(line => /^(WAYBILL_|NODE_|HOME=|USER=)/.test(line))).toEqual(
      [],
    )
    expect(await runInDatabase('id -u')).not.toEqual(['0'])
  })

  it('reports the problem with a setting, and leaves nothing behind', async () => {
    const data_dir = await makeScratch()
    const failing = start({ data_dir, ...login, settings: { ...settings, shared_buffers: 'plenty' } })
    await expect(failing).rejects.toThrow(
      /exited with code 1;[\s\S]*invalid value for parameter "shared_buffers"/,
    )
    expect(await findRunningPostgres(data_dir, login)).toBeUndefined()
  })

  it('explains what to do if no PostgreSQL is installed', () => {
    expect(() => locateBinaries('linux', 'abacus')).toThrow(/^No PostgreSQL for linux-abacus .*DATABASE_URL/)
  })

  it('refuses to make a shared directory private', async () => {
    const data_dir = await makeScratch()
    await chmod(data_dir, 0o1777)
    await expect(start({ data_dir, ...login })).rejects.toThrow('is shared with other programs')
    expect(await readMode(data_dir)).toBe(0o777)
  })

  it('rotates a large log', async () => {
    const data_dir = await makeScratch()
    await writeFile(path.join(data_dir, 'postgres.log'), 'old')
    await truncate(path.join(data_dir, 'postgres.log'), 10 * 1024 * 1024 + 1)
    await start({ data_dir, ...login, settings })
    expect((await stat(path.join(data_dir, 'postgres.log.1'))).size).toBe(10 * 1024 * 1024 + 1)
    expect((await stat(path.join(data_dir, 'postgres.log'))).size).toBeLessThan(100_000)
  })
})

describe('beside a running service', () => {
  it('finds the running PostgreSQL, and nothing when it is stopped', async () => {
    const data_dir = await makeScratch()
    expect(await findRunningPostgres(data_dir, login)).toBeUndefined()
    const running = await start({ data_dir, ...login, settings })
    const found = await findRunningPostgres(data_dir, login)
    expect(found).toEqual(running.address)
    await running.stop()
    expect(await findRunningPostgres(data_dir, login)).toBeUndefined()
  })

  it('explains what to do if the socket is in a /tmp that it does not see', async () => {
    const data_dir = await makeScratch()
    const { address } = await start({ data_dir, ...login, settings })
    await rename(address.host, `${address.host}-elsewhere`)
    await expect(findRunningPostgres(data_dir, login)).rejects.toThrow(
      `its socket in ${address.host} cannot be seen from here`,
    )
    await rename(`${address.host}-elsewhere`, address.host)
    expect(await findRunningPostgres(data_dir, login)).toEqual(address)
  })
})
