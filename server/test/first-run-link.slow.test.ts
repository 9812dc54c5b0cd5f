// The link that the first start prints, end to end: the built program, a browser, a session; and its token is stored
// nowhere.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { listFiles, readFiles } from './files.ts'
import { until } from './patience.ts'
import { connectOwner, makeDataDirectory, type Service, startService } from './service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

let data_dir: string
let service: Service
let token: string
beforeAll(async () => {
  data_dir = makeDataDirectory()
  service = await startService({ data_dir, env: { WAYBILL_LOG_LEVEL: 'trace' } })
  token = /^Sign in: (\S+)\/auth\/link\?token=(wb_link_\w+)$/m.exec(service.stdout())?.[2] ?? ''
})

function redeem(): Promise<Response> {
  const body = new URLSearchParams({ token }).toString()
  return fetch(`${service.url}/auth/link/redeem`, { method: 'POST', headers: FORM, body, redirect: 'manual' })
}

describe('the first start', () => {
  it('prints a link to its own address', () => {
    expect(service.stdout()).toContain(`\nSign in: ${service.url}/auth/link?token=wb_link_`)
  })

  it('signs the admin in once, with all rights of the first user', async () => {
    const page = await fetch(`${service.url}/auth/link?token=${token}`)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('method="post" action="/auth/link/redeem"')
    const entered = await redeem()
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/'])
    const [cookie = ''] = (entered.headers.getSetCookie().at(-1) ?? '').split(';')
    const session = await fetch(`${service.url}/auth/session`, { headers: { cookie } })
    const body = (await session.json()) as { user: string; orgs: unknown; csrf_token: string }
    expect(body.user).toBe('admin')
    expect(body.orgs).toEqual([
      { name: 'admin', role: 'admin', needs_sso: false },
      { name: 'demo-org', role: 'admin', needs_sso: false },
    ])
    const made = await fetch(`${service.url}/api/v2/flows/demo-org`, {
      method: 'PUT',
      headers: { cookie, 'x-csrf-token': body.csrf_token, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'first', description: '' }),
    })
    expect(made.status).toBe(201)
    expect((await redeem()).status).toBe(403)
  })

  it('writes mails to files when there is no mail server', async () => {
    const owner = await connectOwner(data_dir)
    await owner.query("update users set email = 'admin@acme.example' where name = 'admin'")
    await owner.end()
    const body = JSON.stringify({ email: 'admin@acme.example' })
    const headers = { 'content-type': 'application/json' }
    const asked = await fetch(`${service.url}/auth/link`, { method: 'POST', headers, body })
    expect(asked.status).toBe(202)
    const folder = join(data_dir, 'outbox-mail')
    // The folder is created with the first mail.
    const mails = () => (existsSync(folder) ? listFiles(folder) : []).filter(file => file.endsWith('.eml'))
    await until(() => mails().length > 0)
    expect(readFileSync(mails()[0] ?? '', 'utf8')).toContain('Subject: Sign in to Waybill')
  })

  it('keeps the token out of the log and out of every file', async () => {
    const owner = await connectOwner(data_dir)
    await owner.query('checkpoint')
    await owner.end()
    const secret = token.slice('wb_link_'.length + 13)
    expect(secret).toHaveLength(49)
    expect(service.stderr()).toContain('"route":"/auth/link"')
    expect(service.stderr()).not.toContain(secret)
    const bytes = Buffer.from(secret)
    const holding = readFiles(data_dir).filter(({ content }) => content.includes(bytes))
    expect(holding.map(({ path }) => path)).toEqual([])
    // The same for the tokens of later sessions and mails.
    expect(service.stderr()).not.toMatch(/wb_(ses|link)_/)
  })
})
