// The program itself, against a real service: its identity, its checks, its deletions, and its settings.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { serveCli } from './served-cli.ts'

const NOWHERE = { WAYBILL_HOST: 'http://127.0.0.1:1' }
const QUICK = '--timeout 1 --max-api-retries 0'

const served = serveCli({ role: 'admin' })

describe('status', () => {
  it('reports that the service is up', async () => {
    expect(await served.cli.run('status')).toEqual({ code: 0, stdout: 'OK\n', stderr: '' })
  })

  it.each([
    ['status', 0],
    ['status --assert', 3],
    ['assert status', 3],
  ])('says that it is down: "%s" exits with %d', async (line, code) => {
    const ran = await served.cli.run(line, { env: NOWHERE })
    expect(ran.code).toBe(code)
    expect(ran.stdout).toContain('is down: 127.0.0.1:1: nothing listens there')
  })
})

describe('version', () => {
  it.each([
    ['version', /^waybill 0\.0\.0-test \(Node /],
    ['version --short', /^0\.0\.0-test\n$/],
    ['ver --quiet', /^0\.0\.0-test\n$/],
    ['version --output json', /"version": "0\.0\.0-test"/],
    ['--version', /^0\.0\.0-test\n$/],
  ])('is printed by "%s"', async (line, printed) =>
    expect((await served.cli.run(line)).stdout).toMatch(printed),
  )
})

describe('whoami', () => {
  it("shows organization, role and the key's origin, but not the key", async () => {
    const { code, stdout } = await served.cli.run('whoami')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^acme +admin/m)
    expect(stdout).toContain('WAYBILL_API_TOKEN')
    expect(stdout).not.toContain(served.app.admin.key)
  })

  it('knows the organization of a service account', async () => {
    await served.cli.run('create service-account looker --privilege reader')
    const { stdout: key } = await served.cli.run(
      'create api-key --service-account looker --description test --quiet',
    )
    const env = { WAYBILL_API_TOKEN: key.trim() }
    expect((await served.cli.run('whoami', { env })).stdout).toMatch(/^acme +service account/m)
    expect((await served.cli.run('doctor', { env })).stdout).toMatch(/^ok +role +a service account of acme$/m)
    expect(await served.cli.run('doctor --org elsewhere', { env })).toMatchObject({ code: 5 })
  })

  it('fails without a key', async () => {
    const { code, stderr } = await served.cli.run('whoami', { env: { WAYBILL_API_TOKEN: '' } })
    expect(code).toBe(5)
    expect(stderr).toContain('There is no API key')
  })
})

describe('doctor', () => {
  const diagnose = async (env: Record<string, string> = {}) => {
    const { code, stdout } = await served.cli.run(`doctor --output json ${QUICK}`, { env })
    const checks = JSON.parse(stdout) as { name: string; ok: boolean; text: string; hint: string | null }[]
    return { code, checks, problems: checks.filter(({ ok }) => !ok).map(({ name }) => name) }
  }

  it('finds nothing wrong here', async () => {
    const { code, checks, problems } = await diagnose()
    expect([code, problems]).toEqual([0, []])
    expect(checks.map(({ name }) => name)).toEqual([
      'address',
      'proxy',
      'network',
      'TLS',
      'clock',
      'versions',
      'key',
      'role',
      'spool',
    ])
  })

  it.each([
    ['no service', NOWHERE, 3, ['network']],
    ['no key', { WAYBILL_API_TOKEN: '' }, 5, ['key']],
    ['a wrong key', { WAYBILL_API_TOKEN: 'wb_user_wrong' }, 5, ['key']],
    ['another organization', { WAYBILL_ORG: 'elsewhere' }, 5, ['role']],
    ['no organization', { WAYBILL_ORG: '' }, 2, ['role']],
  ])('has the exit code of the worst problem: %s', async (_, env, code, expected) => {
    const { code: found, problems } = await diagnose(env)
    expect([found, problems]).toEqual([code, expected])
  })

  it('finds writes that wait in the spool', async () => {
    const env = { WAYBILL_SPOOL_DIR: join(served.cli.folder, 'waiting') }
    await served.cli.run(`create flow late --use-empty-template ${QUICK}`, { env: { ...env, ...NOWHERE } })
    const { code, checks, problems } = await diagnose(env)
    expect([code, problems]).toEqual([9, ['spool']])
    expect(checks.at(-1)?.text).toMatch(/^1 wait, 0 were refused, 0 are damaged/)
  })

  it('prints each check on one line, with its fix', async () => {
    const { stdout } = await served.cli.run(`doctor ${QUICK}`, { env: NOWHERE })
    expect(stdout).toMatch(/^problem +network +127\.0\.0\.1:1: nothing listens there\. Check the address/m)
    expect(stdout).toMatch(/^ok +proxy +none$/m)
  })
})

describe('config show', () => {
  it('names the origin of each value, and hides keys', async () => {
    writeFileSync(join(served.cli.folder, 'waybill.yml'), 'flow: from-repository\n')
    mkdirSync(join(served.cli.folder, '.config', 'waybill'), { recursive: true })
    writeFileSync(join(served.cli.folder, '.config', 'waybill', 'config.yml'), 'timeout: 7\n')
    const { stdout } = await served.cli.run('config show --origin --output json', {
      env: { KOSLI_TRAIL: 'one' },
    })
    const origins = Object.fromEntries(
      (JSON.parse(stdout) as { flag: string; value: string; from: string }[]).map(({ flag, value, from }) => [
        flag,
        [value, from],
      ]),
    )
    expect(origins).toMatchObject({
      '--api-token': ['(hidden)', 'WAYBILL_API_TOKEN'],
      '--flow': ['from-repository', 'waybill.yml'],
      '--max-api-retries': ['10', 'default'],
      '--org': ['acme', 'WAYBILL_ORG'],
      '--timeout': ['7', 'the configuration file'],
      '--trail': ['one', 'KOSLI_TRAIL'],
    })
    expect(stdout).not.toContain(served.app.admin.key)
  })
})

describe('deleting', () => {
  beforeEach(async () => {
    await served.cli.run('create service-account spare --privilege reader')
  })
  const exists = async () => (await served.cli.run('get service-account spare')).code === 0

  it('is refused without an answer', async () => {
    const ran = await served.cli.run('delete service-account spare')
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('Give --assume-yes')
    expect(await exists()).toBe(true)
  })

  it.each([
    ['y\n', false],
    ['yes', false],
    ['Y\n', false],
    ['n\n', true],
    ['\n', true],
    ['what?\n', true],
  ])('takes its answer from a pipe: %j', async (input, kept) => {
    const { code, stderr } = await served.cli.run('delete service-account spare', { input })
    expect(code).toBe(0)
    expect(stderr.includes('Cancelled')).toBe(kept)
    expect(await exists()).toBe(kept)
  })

  it.each(['--assume-yes', '-y', '--yes'])('asks nothing with %s', async flag => {
    const { code, stderr } = await served.cli.run(`delete service-account spare ${flag}`)
    expect([code, stderr]).toEqual([0, ''])
    expect(await exists()).toBe(false)
  })

  it('deletes nothing in a dry run', async () => {
    const { code, stdout } = await served.cli.run('delete service-account spare --dry-run')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ method: 'DELETE' })
    expect(await exists()).toBe(true)
  })
})

describe('a dry run', () => {
  it.each(['--dry-run', '--api-token DRY_RUN'])('sends nothing with %s', async flag => {
    const { code, stdout } = await served.cli.run(`create environment dry --type server ${flag}`)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ method: 'PUT', body: { name: 'dry', type: 'server' } })
    expect(await served.cli.run('get environment dry')).toMatchObject({ code: 6 })
  })

  it('refuses what the service would refuse', async () => {
    expect(await served.cli.run("create environment 'bad name' --type server --dry-run")).toMatchObject({
      code: 2,
    })
  })
})
