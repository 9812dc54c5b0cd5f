// `admin doctor` as operators run it: on a healthy installation, and on one where each part fails.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../src/admin/doctor-findings.ts'
import { startRealProvider } from './identity-providers.ts'
import { startMailSink } from './mail-sink.ts'
import { addCleanUp, createDatabase, makeDataDirectory, runProgram } from './service.ts'

const NOBODY = '127.0.0.1:9'

async function examine(env: Record<string, string>, data_dir = makeDataDirectory()) {
  const { code, stdout } = await runProgram(['admin', 'doctor', '--json'], { data_dir, env })
  const { ok, checks }: { ok: boolean; checks: Finding[] } = JSON.parse(stdout)
  return { code, ok, states: checks.map(({ check, state }) => `${check} ${state}`), checks }
}

describe('admin doctor', () => {
  it('finds nothing wrong with an installation that is set up', async () => {
    const { url } = await createDatabase()
    const mail = await startMailSink()
    addCleanUp(mail.stop)
    const provider = await startRealProvider('https://waybill.example/auth/sso/default/callback')
    addCleanUp(provider.stop)
    const env = {
      DATABASE_URL: url,
      WAYBILL_SECRET_KEY: 's'.repeat(32),
      WAYBILL_BASE_URL: 'https://waybill.example',
      WAYBILL_TRUSTED_PROXIES: '10.0.0.0/8',
      WAYBILL_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      WAYBILL_MAIL_FROM: 'waybill@waybill.example',
      WAYBILL_OIDC_ISSUER: provider.issuer,
      WAYBILL_OIDC_CLIENT_ID: 'waybill',
    }
    const data_dir = makeDataDirectory()
    const before = await examine(env, data_dir)
    expect(before.states).toContain('schema warning')
    expect(before.code).toBe(0)
    await runProgram(['admin', 'migrate'], { data_dir, env })
    const { code, ok, states } = await examine(env, data_dir)
    // The disk of the test machine may be nearly full.
    expect(states.filter(state => !state.startsWith('disk'))).toEqual([
      'settings ok',
      'address ok',
      'database ok',
      'schema ok',
      'clock ok',
      'role ok',
      'evidence ok',
      'mail ok',
      'sign-in ok',
    ])
    expect([code, ok]).toEqual([0, true])
  })

  it('reports each failure and its fix, and exits with 1', async () => {
    const data_dir = makeDataDirectory()
    mkdirSync(data_dir, { recursive: true })
    const blocked = join(data_dir, 'blocked')
    writeFileSync(blocked, '')
    chmodSync(blocked, 0o400)
    const { code, ok, states, checks } = await examine(
      {
        DATABASE_URL: `postgres://nobody:hidden-password@${NOBODY}/none`,
        WAYBILL_SECRET_KEY: 's'.repeat(32),
        WAYBILL_EVIDENCE_URL: `file://${blocked}/evidence`,
        WAYBILL_SMTP_URL: `smtp://${NOBODY}`,
        WAYBILL_MAIL_FROM: 'waybill@waybill.example',
        WAYBILL_OIDC_ISSUER: `http://${NOBODY}`,
        WAYBILL_OIDC_CLIENT_ID: 'waybill',
      },
      data_dir,
    )
    expect(states).toEqual([
      'settings ok',
      'address ok',
      'database failed',
      'evidence failed',
      'mail failed',
      'sign-in failed',
    ])
    expect([code, ok]).toEqual([1, false])
    expect(checks.filter(({ state }) => state === 'failed').every(({ hint }) => hint?.endsWith('.'))).toBe(
      true,
    )
    expect(JSON.stringify(checks)).not.toContain('hidden-password')
  })

  it('names a bad setting, for people too', async () => {
    const { code, stdout } = await runProgram(['admin', 'doctor'], {
      data_dir: makeDataDirectory(),
      env: { WAYBILL_ROLE: 'sit' },
    })
    expect(stdout).toMatch(/^failed +settings +WAYBILL_ROLE /)
    expect(code).toBe(1)
  })
})
