// Badges from the command line: the line to paste, the list, and revoking a badge.
import { describe, expect, it } from 'vitest'
import { makeFingerprint } from '../../server/test/reports.ts'
import { serveCli } from './served-cli.ts'

const served = serveCli({ role: 'admin' }, async ({ cli }) => {
  await cli.run('create flow build --use-empty-template')
  await cli.run('create environment prod --type K8S')
})

const load = (url: string) => served.app.anonymous.get(url.replace(/^.*\/api\/v2/, ''))

describe('create badge', () => {
  it('prints the line of Markdown and nothing else', async () => {
    const ran = await served.cli.run('create badge --environment prod')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const [, url = ''] = /^\[!\[prod\]\((.*)\)\]\(.*\/acme\/environments\/prod\)\n$/.exec(ran.stdout) ?? []
    expect((await load(url)).text).toContain('<title>prod: unknown</title>')
  })

  it('prints the same line for a file with --quiet, and the answer of the API as JSON', async () => {
    const quiet = await served.cli.run('create badge --flow build --label CI --quiet')
    expect(quiet.stdout).toMatch(/^\[!\[CI\]\(.*\.svg\)\]\(.*\/acme\/flows\/build\)\n$/)
    const json = await served.cli.run(
      `create badge --environment prod --fingerprint ${makeFingerprint('a')} --output json`,
    )
    expect(JSON.parse(json.stdout)).toMatchObject({ shows: 'artifact', environment_name: 'prod' })
  })

  it.each([
    ['create badge', 'Give either --environment or --flow'],
    ['create badge --environment prod --flow build', 'Give either --environment or --flow'],
    [`create badge --flow build --fingerprint ${makeFingerprint('a')}`, 'Give --environment too'],
  ])('%s is refused', async (line, hint) => {
    const ran = await served.cli.run(line)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(hint)
  })

  it('of something that does not exist is exit code 6', async () => {
    expect(await served.cli.run('create badge --environment none')).toMatchObject({ code: 6, stdout: '' })
  })
})

describe('list badges', () => {
  it('names the subject of each badge, without its address', async () => {
    const { stdout } = await served.cli.run('list badges')
    expect(stdout).toMatch(/^\S+ +environment prod +N\/A +wb_badge_\w{12}… +ada /m)
    expect(stdout).toMatch(/^\S+ +flow build +CI +wb_badge_/m)
    expect(stdout).toMatch(/^\S+ +artifact aaaaaaaaaaaa in prod +N\/A +wb_badge_/m)
  })
})

describe('delete badge', () => {
  it('ends it', async () => {
    const created = JSON.parse((await served.cli.run('create badge --flow build --output json')).stdout)
    expect((await load(created.url)).status).toBe(200)
    const ran = await served.cli.run(`delete badge ${created.id} --assume-yes`)
    expect(ran).toMatchObject({ code: 0, stdout: `Badge ${created.id} was deleted\n` })
    expect((await load(created.url)).status).toBe(404)
    expect(await served.cli.run(`delete badge ${created.id} --assume-yes`)).toMatchObject({ code: 6 })
  })
})
