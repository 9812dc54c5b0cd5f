// Decisions that expire, from the command line.
import { describe, expect, it } from 'vitest'
import { serveCli } from './served-cli.ts'

const served = serveCli({ role: 'admin' }, async ({ app, cli }) => {
  await app.admin.post('/controls/acme', { identifier: 'RISK', name: 'Accepted risks' })
  await cli.run('create flow build --use-empty-template')
  await cli.run('begin trail one --flow build')
})

const DECIDE = 'attest decision --control RISK --name risk --flow build --trail one'
const readNewest = async () => (await served.app.admin.get('/controls/acme/RISK/decisions')).body.decisions[0]

describe('attest decision', () => {
  it.each([
    ['2099-01-01', 4_070_908_800],
    ['2099-01-01T12:00:00Z', 4_070_952_000],
    ['4070952001', 4_070_952_001],
  ])('--expires-at %s', async (time, expires_at) => {
    expect(await served.cli.run(`${DECIDE} --expires-at ${time}`)).toMatchObject({ code: 0, stderr: '' })
    expect(await readNewest()).toMatchObject({ expires_at, is_compliant: true })
  })

  it('without it never expires', async () => {
    expect((await served.cli.run(DECIDE)).code).toBe(0)
    expect(await readNewest()).toMatchObject({ expires_at: null })
  })

  it('refuses invalid times and times in the past', async () => {
    const wrong = await served.cli.run(`${DECIDE} --expires-at soon`)
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('--expires-at: "soon" is not a time')
    const past = await served.cli.run(`${DECIDE} --expires-at 2020-01-01`)
    expect(past.code).not.toBe(0)
    expect(past.stderr).toContain('expires_at')
  })
})

describe('list control-decisions', () => {
  it('shows which have expired, and when', async () => {
    const expires_s = Math.floor(served.app.clock.now().getTime() / 1000) + 60
    await served.cli.run(`${DECIDE} --expires-at ${expires_s}`)
    const isExpired = async () =>
      (await served.cli.run('list control-decisions RISK')).stdout.includes('EXPIRED')
    expect(await isExpired()).toBe(false)
    served.app.clock.advance(60_000)
    expect(await isExpired()).toBe(true)
  })
})
