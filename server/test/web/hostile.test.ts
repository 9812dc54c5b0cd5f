// Somebody who may write writes what a browser could run. Nothing of it runs, on no page; it is there to be read.
import { beforeAll, describe, expect, it } from 'vitest'
import { openSite, type Site, settled, visit, type Watched, watch } from './browser.ts'
import { crawl } from './crawl.ts'
import { FIND_LIVE_MARKUP, NO_ADDRESSES, PAYLOADS, READ_TEXT, statusesOf, write, written } from './hostile.ts'
import { ADDRESS, ORG } from './hostile-evidence.ts'
import { HOSTILE_CALLS, HOSTILE_PAGES, REFUSED_CALLS } from './hostile-org.ts'

const SIDE_BY_SIDE = 3
/** Fewer mean that the crawl was stopped by something. */
const KINDS_AT_LEAST = 40
/** Of what the pages show there is this much at least. */
const FIELDS_SHOWN_AT_LEAST = 90
/** No page is about these: they are read by API. */
const SHOWN_NOWHERE = ['approval']

let site: Site
beforeAll(async () => {
  site = await openSite()
})

describe('an org whose every text is hostile', () => {
  it('is written as it is, apart from addresses that are none', async () => {
    expect(await write(site.service, HOSTILE_CALLS)).toEqual([])
    const statuses = await statusesOf(site.service, REFUSED_CALLS)
    expect(new Set(statuses)).toEqual(new Set([400]))
  })

  it('has addresses from before they were checked', async () => {
    expect(await replaceEverywhere(ADDRESS, NO_ADDRESSES[0] ?? '')).toBeGreaterThan(5)
  })

  it('is read on every kind of page, and nothing of it runs', async () => {
    const windows = await adminWindows()
    const live: string[] = []
    const shown = new Set<string>()
    const { seen } = await crawl({
      start: [...HOSTILE_PAGES, ...(await attestationPages())],
      pages: windows.map(({ page }) => page),
      atEach: async (page, path) => {
        for (const node of await page.evaluate<string[]>(FIND_LIVE_MARKUP)) live.push(`${path}: ${node}`)
        const text = (await page.evaluate<string>(READ_TEXT)).toLowerCase()
        for (const [field, begin] of written) if (text.includes(begin.toLowerCase())) shown.add(field)
      },
    })
    expect(live).toEqual([])
    expect(windows.flatMap(({ complaints }) => complaints)).toEqual([])
    expect(seen.size).toBeGreaterThan(KINDS_AT_LEAST)
    const resources = new Set([...written.keys()].map(resourceOf))
    for (const field of shown) resources.delete(resourceOf(field))
    expect([...resources]).toEqual(SHOWN_NOWHERE)
    expect(shown.size).toBeGreaterThan(FIELDS_SHOWN_AT_LEAST)
  })
})

/** In every column that holds text or JSON; answers how many columns had it. */
async function replaceEverywhere(before: string, after: string): Promise<number> {
  const { owner } = site.service
  const { rows } = await owner.query<{ table: string; column: string; type: string }>(
    `select quote_ident(table_name) as "table", quote_ident(column_name) as "column", data_type as type
     from information_schema.columns join pg_class on relname = table_name and relkind = 'r'
     where table_schema = 'public' and data_type in ('text', 'jsonb') and is_generated = 'NEVER'`,
  )
  let changed = 0
  for (const { table, column, type } of rows) {
    const replaced = `replace(${column}::text, $1, $2)::${type}`
    const { rowCount } = await owner.query(
      `update ${table} set ${column} = ${replaced} where strpos(${column}::text, $1) > 0`,
      [before, after],
    )
    if (rowCount) changed++
  }
  return changed
}

const resourceOf = (field: string) => field.split(':')[0] ?? ''

/** Also the name of their browser is hostile: it is told among their sessions. */
async function adminWindows(): Promise<Watched[]> {
  const first = await site.newWindow('desk')
  const { page, context } = first
  written.set('session:user-agent', `session:user-agent ${PAYLOADS[1].slice(0, 12)}`)
  await context.setExtraHTTPHeaders({ 'user-agent': `session:user-agent ${PAYLOADS[1]}` })
  await page.goto(site.service.sign_in_path)
  await page.getByRole('button', { name: 'Sign in to Waybill' }).click()
  await settled(page)
  const others = Array.from({ length: SIDE_BY_SIDE - 1 }, () => watch(context))
  const windows = [first, ...(await Promise.all(others))]
  for (const { page } of windows) await visit(page, `/${ORG}`)
  return windows
}

/** Every attestation, in its drawer. */
async function attestationPages(): Promise<string[]> {
  const { text } = await site.service.call('GET', `/api/v2/attestations/${ORG}?per_page=50`, {
    key: site.service.key,
  })
  const { data } = JSON.parse(text) as { data: { html_url: string }[] }
  return data.map(({ html_url }) => new URL(html_url)).map(url => url.pathname + url.search)
}
