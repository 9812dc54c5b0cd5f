// Which user runs the database and from where: root, an ordinary user, private directories, incomplete packages.
import { once } from 'node:events'
import { chmod, chown, cp, lstat, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { completeLinks, locateBinaries } from './binaries.ts'
import { ensureReachableBinaries } from './reachable-binaries.ts'
import {
  is_root,
  isAlive,
  login,
  makeScratch,
  nobody,
  queryRows,
  readMode,
  runAfterTest,
  settings,
  start,
  startChild,
} from './test-service.ts'

describe('users and packages', () => {
  it.runIf(is_root)('runs as nobody below a directory that only root may enter', async () => {
    const parent = await makeScratch()
    const data_dir = path.join(parent, 'data')
    expect((await stat(parent)).uid).toBe(0)
    expect(await readMode(parent)).toBe(0o700)
    const running = await start({ data_dir, ...login, settings })
    expect((await stat(data_dir)).uid).toBe(0)
    expect((await stat(path.join(data_dir, 'postgres'))).uid).toBe(nobody.uid)
    const status = await readFile(`/proc/${running.pid()}/status`, 'utf8')
    expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m)
    expect(status).toMatch(/^Groups:\s*$/m)
    // Read through SQL, because root in a container may not read the environment of another user's process.
    const environment = `pg_read_binary_file('/proc/${running.pid()}/environ')`
    expect(await queryRows(running.address, `select encode(${environment}, 'escape') as variables`)).toEqual([
      { variables: ['PATH=/usr/bin:/bin', 'LC_ALL=C', 'TZ=UTC', ''].join('\\000') },
    ])
  })

  it.runIf(is_root)('adopts a database that root copied into place', async () => {
    const data_dir = await makeScratch()
    const first = await start({ data_dir, ...login, settings })
    await first.stop()
    const restored = await makeScratch()
    await cp(path.join(data_dir, 'postgres'), path.join(restored, 'postgres'), { recursive: true })
    await chmod(path.join(restored, 'postgres'), 0o700)
    expect((await stat(path.join(restored, 'postgres'))).uid).toBe(0)
    await start({ data_dir: restored, ...login, settings })
  })

  it.runIf(is_root)(
    'copies programs that the database user cannot reach, once, and never trusts a copy copied by others',
    async () => {
      const version = `0.0.0-test.${process.pid}`
      const native_dir = await makeClosedPackage(version)
      const shared_copy = path.join(tmpdir(), `waybill-postgres-${version}-${process.arch}`)
      runAfterTest(() => rm(shared_copy, { recursive: true, force: true }))

      const data_dir = await makeScratch()
      const running = await start({ data_dir, ...login, settings, native_dir })
      expect(await readFile(`/proc/${running.pid()}/cmdline`, 'utf8')).toContain(
        `${shared_copy}/bin/postgres`,
      )
      await running.stop()
      const copied = await stat(shared_copy)
      expect(copied.uid).toBe(0)
      expect(copied.mode & 0o777).toBe(0o755)
      expect(await ensureReachableBinaries(native_dir, nobody, data_dir)).toBe(shared_copy)
      expect((await stat(shared_copy)).ino).toBe(copied.ino)

      await rm(path.join(shared_copy, 'bin', 'postgres'))
      expect(await ensureReachableBinaries(native_dir, nobody, data_dir)).toBe(shared_copy)
      expect((await stat(path.join(shared_copy, 'bin', 'postgres'))).mode & 0o777).toBe(0o755)

      await chown(shared_copy, nobody.uid, nobody.gid)
      const fresh = await ensureReachableBinaries(native_dir, nobody, data_dir)
      runAfterTest(() => rm(fresh, { recursive: true, force: true }))
      expect(fresh).not.toBe(shared_copy)
      expect((await stat(fresh)).uid).toBe(0)
    },
  )

  it.runIf(is_root)('runs for an ordinary user, and for root on that user’s directory', async () => {
    const data_dir = await makeScratch()
    await chown(data_dir, nobody.uid, nobody.gid)
    const service = await startChild({ data_dir, ...login, settings }, nobody)
    await queryRows(service.address, 'create table kept as select 42 as answer')
    expect(await readFile(`/proc/${service.pid}/cmdline`, 'utf8')).toContain(`\0${data_dir}/postgres\0`)
    service.child.kill('SIGTERM')
    await once(service.child, 'exit')
    expect(await isAlive(service.pid)).toBe(false)
    const running = await start({ data_dir, ...login, settings })
    expect(await queryRows(running.address, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  it.runIf(is_root)(
    'copies programs whose links an ordinary user cannot create into the data directory, once',
    async () => {
      const native_dir = await makeClosedPackage('0.0.0-test')
      // As if root had installed it for everybody.
      await chmod(path.dirname(native_dir), 0o755)
      const data_dir = await makeScratch()
      await chown(data_dir, nobody.uid, nobody.gid)
      const copy = path.join(data_dir, `waybill-postgres-0.0.0-test-${process.arch}`)
      let inode: number | undefined
      for (const _ of ['first', 'second']) {
        const service = await startChild({ data_dir, ...login, settings, native_dir }, nobody)
        expect(await readFile(`/proc/${service.pid}/cmdline`, 'utf8')).toContain(`${copy}/bin/postgres`)
        service.child.kill('SIGTERM')
        await once(service.child, 'exit')
        const { ino } = await stat(copy)
        inode ??= ino
        expect(ino).toBe(inode)
      }
    },
  )

  it('re-creates the library links that npm leaves out without install scripts', async () => {
    const directory = await makeScratch()
    const listing = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }]
    await mkdir(path.join(directory, 'lib'))
    await writeFile(path.join(directory, 'lib', 'libx.so.1.2'), 'library')
    await writeFile(path.join(directory, 'pg-symlinks.json'), JSON.stringify(listing))
    await Promise.all([completeLinks(directory), completeLinks(directory)])
    await completeLinks(directory)
    expect(await readFile(path.join(directory, 'lib', 'libx.so.1'), 'utf8')).toBe('library')
  })
})

/** A copy of the package as npm leaves it without install scripts, in a directory that only root may enter. */
async function makeClosedPackage(version: string): Promise<string> {
  const installed = locateBinaries(process.platform, process.arch)
  const native_dir = path.join(await makeScratch(), 'native')
  await cp(installed, native_dir, {
    recursive: true,
    filter: async file => !/\.so$|\.so\.\d+$/.test(file) || !(await isLink(file)),
  })
  await writeFile(path.join(native_dir, '..', 'package.json'), JSON.stringify({ version }))
  return native_dir
}

async function isLink(file: string): Promise<boolean> {
  return (await lstat(file)).isSymbolicLink()
}
