// After PostgreSQL, the service, or both are killed, nothing is lost and nothing blocks the next start.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { until } from '@waybill/testing/patience'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { findRunningPostgres } from './embedded.ts'
import { GUARD_NAME } from './guard.ts'
import { readCommandLines } from './predecessors.ts'
import {
  is_root,
  isAlive,
  isAnswering,
  login,
  makeScratch,
  nobody,
  queryRows,
  runAfterTest,
  settings,
  start,
  startChild,
} from './test-service.ts'

async function findGuard(pid: number): Promise<number | undefined> {
  const name = `${GUARD_NAME} ${pid}`
  return (await readCommandLines()).find(({ command }) => command.trimEnd().endsWith(name))?.pid
}

const BUSY = "select 1 from pg_stat_activity where state = 'active' and query like '%generate_series(1, 1%'"

describe('crashes', () => {
  it('brings a killed PostgreSQL back on the same address with every committed row', async () => {
    const lines: string[] = []
    const running = await start({
      data_dir: await makeScratch(),
      ...login,
      settings,
      onLog: line => lines.push(line),
    })
    await queryRows(running.address, 'create table kept as select 42 as answer')
    const killed = running.pid()
    expect(killed).toBeTypeOf('number')
    process.kill(killed ?? 0, 'SIGKILL')
    await until(async () => running.pid() !== undefined && running.pid() !== killed)
    await until(() => isAnswering(running.address))
    expect(await queryRows(running.address, 'select answer from kept')).toEqual([{ answer: 42 }])
    await until(async () => lines.includes('PostgreSQL is back'))
    expect(lines[0]).toBe('PostgreSQL was killed by SIGKILL, restarting')
  })

  it('restarts a PostgreSQL that was told to stop and waits for its sessions to end', async () => {
    const lines: string[] = []
    const data_dir = await makeScratch()
    const running = await start({ data_dir, ...login, settings, onLog: line => lines.push(line) })
    await queryRows(running.address, 'create table kept as select 42 as answer')
    const session = new Client({ ...running.address })
    const ended = new Promise(resolve => session.on('error', resolve))
    await session.connect()
    const told = running.pid()
    // After this signal, PostgreSQL refuses new sessions and waits indefinitely for the open ones.
    process.kill(told ?? 0, 'SIGTERM')
    await until(async () => running.pid() !== undefined && running.pid() !== told)
    await until(() => isAnswering(running.address))
    await ended
    expect(await queryRows(running.address, 'select answer from kept')).toEqual([{ answer: 42 }])
    expect(lines[0]).toBe('PostgreSQL was told to stop by someone else, restarting it')
  })

  it('stops while a restart is pending', async () => {
    const data_dir = await makeScratch()
    const log: string[] = []
    const running = await start({ data_dir, ...login, settings, onLog: line => log.push(line) })
    process.kill(running.pid() ?? 0, 'SIGKILL')
    await until(async () => log.length > 0)
    await running.stop()
    expect(running.pid()).toBeUndefined()
    expect(await findRunningPostgres(data_dir, login)).toBeUndefined()
    await expect(stat(running.address.host)).rejects.toThrow('ENOENT')
  })

  it('ends with a service that was killed, after a clean shutdown', async () => {
    const data_dir = await makeScratch()
    const service = await startChild({ data_dir, ...login, settings }, undefined)
    service.child.kill('SIGKILL')
    await until(async () => !(await isAlive(service.pid)))
    expect(await readFile(path.join(data_dir, 'postgres.log'), 'utf8')).toMatch(
      /database system is shut down\n$/,
    )
    await until(async () => (await findGuard(service.pid)) === undefined)
  })

  it('leaves the PostgreSQL of a service alone that starts at once after the other was killed', async () => {
    const data_dir = await makeScratch()
    const service = await startChild({ data_dir, ...login, settings }, undefined)
    await queryRows(service.address, 'create table kept as select 42 as answer')
    service.child.kill('SIGKILL')
    const lines: string[] = []
    const running = await start({ data_dir, ...login, settings, onLog: line => lines.push(line) })
    await until(async () => (await findGuard(service.pid)) === undefined)
    expect(await isAlive(service.pid)).toBe(false)
    expect(await queryRows(running.address, 'select answer from kept')).toEqual([{ answer: 42 }])
    expect(lines.filter(line => !line.includes('an earlier run'))).toEqual([])
    await expect(stat(service.address.host)).rejects.toThrow('ENOENT')
  })

  it('takes over from a service that was killed and left its PostgreSQL running', async () => {
    const data_dir = await makeScratch()
    const service = await startChild({ data_dir, ...login, settings }, undefined)
    await queryRows(service.address, 'create table kept as select 42 as answer')
    process.kill((await findGuard(service.pid)) ?? 0, 'SIGKILL')
    service.child.kill('SIGKILL')
    await once(service.child, 'exit')
    expect(await isAlive(service.pid)).toBe(true)
    const running = await start({ data_dir, ...login, settings })
    await until(async () => !(await isAlive(service.pid)))
    expect(await queryRows(running.address, 'select answer from kept')).toEqual([{ answer: 42 }])
    await expect(stat(service.address.host)).rejects.toThrow('ENOENT')
  })

  it('starts immediately after the service and PostgreSQL were killed together while a backend was busy', async () => {
    const data_dir = await makeScratch()
    const service = await startChild({ data_dir, ...login, settings }, undefined)
    await queryRows(service.address, 'create table kept as select 42 as answer')
    const busy = queryRows(service.address, 'select count(*) from generate_series(1, 1000000000000)')
    const failed = expect(busy).rejects.toThrow()
    await until(async () => (await queryRows(service.address, BUSY)).length > 0)
    service.child.kill('SIGKILL')
    process.kill(service.pid, 'SIGKILL')
    await once(service.child, 'exit')
    const running = await start({ data_dir, ...login, settings })
    expect(await queryRows(running.address, 'select answer from kept')).toEqual([{ answer: 42 }])
    await failed
  })

  it('is not blocked by a stale pid file with the pid of another program, or by an empty one', async () => {
    const data_dir = await makeScratch()
    const first = await start({ data_dir, ...login, settings })
    await first.stop()
    const other_program = spawn('sleep', ['60'], is_root ? nobody : {})
    runAfterTest(async () => other_program.kill('SIGKILL'))
    const pid_file = path.join(data_dir, 'postgres', 'postmaster.pid')
    for (const pid of [other_program.pid, process.pid, 1]) {
      await writeFile(pid_file, `${pid}\n/proc/self/fd/3\n1\n5432\n/etc\n\n  0 0\nready\n`)
      const running = await start({ data_dir, ...login, settings })
      expect(running.pid()).not.toBe(pid)
      await running.stop()
    }
    expect(other_program.exitCode ?? other_program.signalCode).toBeNull()
    await writeFile(pid_file, '')
    await start({ data_dir, ...login, settings })
  })

  it('starts over after a crash in the middle of creating the database', async () => {
    const data_dir = await makeScratch()
    await mkdir(path.join(data_dir, 'postgres.new', 'base'), { recursive: true })
    await writeFile(path.join(data_dir, 'postgres.new', 'PG_VERSION'), '18\n')
    await start({ data_dir, ...login, settings })
    expect((await readdir(data_dir)).sort()).toEqual(['postgres', 'postgres.log'])
  })
})
