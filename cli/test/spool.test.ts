// Evidence survives whatever happens to the service, the network and the program itself, and is recorded once.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cut, type CuttingProxy, startCuttingProxy } from '@waybill/testing/cutting-proxy'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../server/test/harness.ts'
import { type Cli, makeCli } from './run-cli.ts'

const NOWHERE = 'http://127.0.0.1:1'
const QUICK = '--timeout 1 --max-api-retries 0'

let app: TestApp
let proxy: CuttingProxy
let url: string
let cli: Cli
let number = 0
let trail: string

beforeAll(async () => {
  app = await startTestApp()
  url = await app.server.listen({ host: '127.0.0.1', port: 0 })
  proxy = await startCuttingProxy(Number(new URL(url).port))
})
afterAll(async () => {
  await proxy.stop()
  await app.stop()
})

beforeEach(async () => {
  const env = { WAYBILL_HOST: url, WAYBILL_ORG: 'acme', WAYBILL_API_TOKEN: app.member.key ?? '' }
  cli = makeCli(env, () => app.clock.now().getTime())
  number += 1
  trail = `trail-${number}`
  await expectDone('create flow pipeline --use-empty-template')
  await expectDone(`begin trail ${trail} --flow pipeline`)
})
afterEach(() => cli.remove())

async function expectDone(line: string, env: Record<string, string> = {}) {
  const ran = await cli.run(line, { env })
  expect(ran, ran.stderr).toMatchObject({ code: 0 })
  return ran
}

const attestLine = (name: string, more = '') =>
  `attest generic --name ${name} --flow pipeline --trail ${trail} ${more}`

/** What the service has recorded, oldest first. */
async function listRecorded(name: string): Promise<{ is_compliant: boolean }[]> {
  const path = `/api/v2/attestations/acme/pipeline/trail/${trail}/${name}`
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${app.member.key}` } })
  const found = (await response.json()) as { is_compliant: boolean }[]
  return found.toReversed()
}

const listQueue = () => readdirSync(join(cli.folder, 'spool', 'queue'))

describe('a service that is down', () => {
  it('fails no command, and the command reports that the write waits', async () => {
    const { code, stdout, stderr } = await cli.run(attestLine('tests', QUICK), {
      env: { WAYBILL_HOST: NOWHERE },
    })
    expect(code).toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toContain('waits in the spool')
  })

  it('is exit code 9 in strict mode', async () => {
    const { code } = await cli.run(attestLine('tests', `--spool strict ${QUICK}`), {
      env: { WAYBILL_HOST: NOWHERE },
    })
    expect(code).toBe(9)
  })

  it('gets everything later, in order, including files that are gone by then', async () => {
    await proxy.stop()
    writeFileSync(join(cli.folder, 'report.txt'), 'all is well')
    const away = { WAYBILL_HOST: proxy.url }
    await expectDone(attestLine('first', `--attachments report.txt ${QUICK}`), away)
    await expectDone(attestLine('verdict', `--compliant=false ${QUICK}`), away)
    await expectDone(attestLine('verdict', QUICK), away)
    const collected_ms = app.clock.now().getTime()
    app.clock.advance(60 * 60 * 1000)
    rmSync(join(cli.folder, 'report.txt'))
    expect(listQueue()).toHaveLength(3)
    proxy = await startCuttingProxy(Number(new URL(url).port))
    // The service's address is part of each entry, so a new port would be another service.
    moveQueue(proxy.url)
    const { stdout } = await expectDone('spool flush', { WAYBILL_HOST: proxy.url })
    expect(stdout).toBe('Delivered 3, refused 0, left 0\n')
    const waited = { spooled: true, collected_at: collected_ms / 1000 }
    expect(await listRecorded('first')).toMatchObject([
      { evidence_archive_path: expect.any(String), ...waited },
    ])
    expect(await listRecorded('verdict')).toMatchObject([{ is_compliant: false }, { is_compliant: true }])
    expect(listQueue()).toEqual([])
  })

  it('gets waiting writes with the next command, before its own', async () => {
    proxy.plan(['at once'])
    const through = { WAYBILL_HOST: proxy.url }
    await expectDone(attestLine('verdict', `--compliant=false ${QUICK}`), through)
    await expectDone(attestLine('verdict'), through)
    expect(await listRecorded('verdict')).toMatchObject([{ is_compliant: false }, { is_compliant: true }])
  })
})

function moveQueue(host: string): void {
  for (const id of listQueue()) {
    const file = join(cli.folder, 'spool', 'queue', id, 'request.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), host }))
  }
}

describe('a connection that is cut', () => {
  const CUTS: Cut[] = ['at once', 'within the request', 'before the answer', 'within the answer']

  it.each(CUTS)('%s: the write is retried and recorded once', async cut => {
    proxy.plan([cut])
    writeFileSync(join(cli.folder, 'big.bin'), Buffer.alloc(300_000, 'x'))
    const before = proxy.countCut()
    await expectDone(attestLine('tests', '--attachments big.bin'), { WAYBILL_HOST: proxy.url })
    expect(proxy.countCut()).toBe(before + 1)
    expect(await listRecorded('tests')).toHaveLength(1)
  })

  it.each(CUTS)('%s: a later command delivers it once', async cut => {
    proxy.plan([cut])
    const through = { WAYBILL_HOST: proxy.url }
    await expectDone(attestLine('tests', QUICK), through)
    expect(listQueue()).toHaveLength(1)
    await expectDone('spool flush', through)
    expect(await listRecorded('tests')).toHaveLength(1)
    expect(listQueue()).toEqual([])
  })
})

describe('a job that runs again', () => {
  const job = (attempt: string) => ({
    GITHUB_ACTIONS: 'true',
    GITHUB_RUN_ID: `9${number}`,
    GITHUB_RUN_ATTEMPT: attempt,
    GITHUB_JOB: 'build',
    GITHUB_ACTION: '__run',
    // A new runner has a new spool.
    WAYBILL_SPOOL_DIR: join(cli.folder, `spool-${attempt}`),
  })

  it('records nothing twice', async () => {
    await expectDone(attestLine('tests'), job('1'))
    await expectDone(attestLine('tests'), job('2'))
    expect(await listRecorded('tests')).toHaveLength(1)
  })

  it('records a verdict that changes back and forth each time, and again the same way', async () => {
    for (const attempt of ['1', '2']) {
      await expectDone(attestLine('scan'), job(attempt))
      await expectDone(attestLine('scan', '--compliant=false'), job(attempt))
      await expectDone(attestLine('scan'), job(attempt))
    }
    expect((await listRecorded('scan')).map(({ is_compliant }) => is_compliant)).toEqual([true, false, true])
  })

  it('is something new outside of a pipeline', async () => {
    await expectDone(attestLine('review'))
    await expectDone(attestLine('review'))
    expect(await listRecorded('review')).toHaveLength(2)
  })
})

describe('a write that the service refuses', () => {
  it('fails immediately with its own exit code, is kept, and is never resent automatically', async () => {
    const { code, stderr } = await cli.run(`attest generic --name x --flow nowhere --trail ${trail}`)
    expect(code).toBe(6)
    expect(stderr).toContain("Flow named 'nowhere' does not exist")
    expect(stderr).toContain('kept in the spool')
    expect(listQueue()).toEqual([])
    const { stdout } = await expectDone('spool list --refused')
    expect(stdout).toContain('attest generic')
    await expectDone('create flow nowhere --use-empty-template')
    await expectDone(`begin trail ${trail} --flow nowhere`)
    const { stdout: flushed } = await expectDone('spool flush --refused')
    expect(flushed).toBe('Delivered 1, refused 0, left 0\n')
  })

  it('is set aside if the key may not do it, so that no other key records it later', async () => {
    const { code } = await cli.run(attestLine('tests'), { env: { WAYBILL_API_TOKEN: app.reader.key ?? '' } })
    expect(code).toBe(5)
    expect(listQueue()).toEqual([])
    await expectDone('spool flush')
    expect(await listRecorded('tests')).toEqual([])
  })

  it('stays if only the key is wrong', async () => {
    const { code } = await cli.run(attestLine('tests'), { env: { WAYBILL_API_TOKEN: 'wb_user_wrong' } })
    expect(code).toBe(5)
    expect(listQueue()).toHaveLength(1)
    await expectDone('spool flush')
    expect(await listRecorded('tests')).toHaveLength(1)
  })
})

describe('the files of the spool', () => {
  const away = { WAYBILL_HOST: NOWHERE }

  it('contain no credential, and only their owner can read them', async () => {
    await expectDone(attestLine('tests', QUICK), away)
    const [id = ''] = listQueue()
    const folder = join(cli.folder, 'spool', 'queue', id)
    for (const name of readdirSync(folder)) {
      const file = join(folder, name)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readFileSync(file, 'utf8')).not.toContain(app.member.key)
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('are left alone if they are damaged or for another service', async () => {
    await expectDone(attestLine('tests', QUICK), away)
    await expectDone(attestLine('more', QUICK), away)
    const [first = ''] = listQueue()
    writeFileSync(join(cli.folder, 'spool', 'queue', first, 'request.json'), '{"version":1')
    const { stdout, stderr } = await expectDone('spool flush')
    expect(stdout).toBe('Delivered 0, refused 0, left 0\n')
    expect(stderr).toContain(`Damaged, and left alone: ${first}`)
    expect(stderr).toContain('1 writes are for other services')
    expect(listQueue()).toHaveLength(2)
  })

  it('are exported into one file and imported from it, once', async () => {
    writeFileSync(join(cli.folder, 'report.txt'), 'all is well')
    await expectDone(attestLine('tests', `--attachments report.txt ${QUICK}`), away)
    moveQueue(url)
    await expectDone('spool export carried.wbs')
    const elsewhere = { WAYBILL_SPOOL_DIR: join(cli.folder, 'elsewhere') }
    expect((await expectDone('spool import carried.wbs', elsewhere)).stdout).toBe('Added 1 writes\n')
    expect((await expectDone('spool import carried.wbs', elsewhere)).stdout).toContain('1 were there already')
    await expectDone('spool flush', elsewhere)
    await expectDone('spool flush')
    expect(await listRecorded('tests')).toHaveLength(1)
  })

  it('are refused on import if a byte was changed', async () => {
    writeFileSync(join(cli.folder, 'report.txt'), 'all is well')
    await expectDone(attestLine('tests', `--attachments report.txt ${QUICK}`), away)
    await expectDone('spool export carried.wbs')
    const bytes = readFileSync(join(cli.folder, 'carried.wbs'))
    bytes[bytes.indexOf('all is well')] = 'A'.charCodeAt(0)
    writeFileSync(join(cli.folder, 'carried.wbs'), bytes)
    const { code, stderr } = await cli.run('spool import carried.wbs')
    expect(code).toBe(2)
    expect(stderr).toContain('is missing or was changed')
  })

  it('are dropped only with confirmation', async () => {
    await expectDone(attestLine('tests', QUICK), away)
    expect((await cli.run('spool drop')).code).toBe(2)
    expect(listQueue()).toHaveLength(1)
    await expectDone('spool drop --assume-yes')
    expect(listQueue()).toEqual([])
  })

  it('do not pile up: leftovers of a killed process go after a day, counters of old runs after 90', async () => {
    await expectDone(attestLine('tests'))
    const leave = (folder: string, name: string, age_days: number) => {
      const path = join(cli.folder, 'spool', folder, name)
      if (folder === 'aside') mkdirSync(path)
      else writeFileSync(path, '')
      const time_s = app.clock.now().getTime() / 1000 - age_days * 24 * 60 * 60
      utimesSync(path, time_s, time_s)
    }
    leave('aside', 'old', 2)
    leave('aside', 'new', 0.5)
    leave('counters', 'old.1', 91)
    leave('counters', 'new.1', 89)
    await expectDone(attestLine('more'))
    expect(readdirSync(join(cli.folder, 'spool', 'aside'))).toEqual(['new'])
    expect(readdirSync(join(cli.folder, 'spool', 'counters'))).toEqual(['new.1'])
  })

  it('are optional: without a place for them, the write is sent directly', async () => {
    writeFileSync(join(cli.folder, 'not-a-folder'), '')
    const { stderr } = await expectDone(attestLine('tests'), {
      WAYBILL_SPOOL_DIR: join(cli.folder, 'not-a-folder', 'spool'),
    })
    expect(stderr).toContain('The spool cannot be used')
    expect(await listRecorded('tests')).toHaveLength(1)
  })
})

describe('without a spool', () => {
  it('a write is sent once, and one that cannot be sent is exit code 3', async () => {
    await expectDone(attestLine('tests', '--spool off'))
    expect(await listRecorded('tests')).toHaveLength(1)
    const { code } = await cli.run(attestLine('more', `--spool off ${QUICK}`), {
      env: { WAYBILL_HOST: NOWHERE },
    })
    expect(code).toBe(3)
    expect(listQueue()).toEqual([])
  })
})

describe('several processes with one spool', () => {
  it('deliver everything once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `check-${index}`)
    const runs = await Promise.all(names.map(name => cli.run(attestLine(name))))
    expect(runs.map(({ code }) => code)).toEqual(names.map(() => 0))
    await expectDone('spool flush')
    for (const name of names) expect(await listRecorded(name)).toHaveLength(1)
    expect(listQueue()).toEqual([])
  })
})
