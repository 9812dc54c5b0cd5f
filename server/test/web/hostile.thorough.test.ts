// Stores hostile texts in every field: no page runs them, and every page shows them as text.
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { insertSessionAt } from '../browser.ts'
import { closeAfterTest, enter, openSharedSite, type Site, show, type Watched, watch } from './browser.ts'
import { crawl } from './crawl.ts'
import { FIND_LIVE_MARKUP, NO_ADDRESSES, PAYLOADS, READ_TEXT, sendAll, write, written } from './hostile.ts'
import { ADDRESS, ORG } from './hostile-evidence.ts'
import { HOSTILE_CALLS, HOSTILE_PAGES, REFUSED_CALLS } from './hostile-org.ts'

const WINDOWS = 3
/** Fewer kinds mean that something stopped the crawl. */
const MIN_KINDS = 40
/** How many of the stored fields the pages must show. */
const MIN_FIELDS_SHOWN = 90
/** Resources without a page: they can only be read through the API. */
const WITHOUT_PAGE = ['approval']

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

describe('an org with hostile texts in every field', () => {
  it('stores the texts unchanged, and rejects hostile URLs', async () => {
    expect(await write(site.service, HOSTILE_CALLS)).toEqual([])
    const statuses = await sendAll(site.service, REFUSED_CALLS)
    expect(new Set(statuses)).toEqual(new Set([400]))
  })

  it('has hostile URLs from before they were validated', async () => {
    expect(await replaceEverywhere(ADDRESS, NO_ADDRESSES[0] ?? '')).toBeGreaterThan(5)
  })

  it('is shown on every kind of page, and no text runs', async () => {
    const windows = await openAdminWindows()
    const live: string[] = []
    const shown = new Set<string>()
    const { seen } = await crawl({
      start: [...HOSTILE_PAGES, ...(await listAttestationPages())],
      pages: windows.map(({ page }) => page),
      atEach: async (page, path) => {
        for (const node of await page.evaluate<string[]>(FIND_LIVE_MARKUP)) live.push(`${path}: ${node}`)
        const text = (await page.evaluate<string>(READ_TEXT)).toLowerCase()
        for (const [field, begin] of written) if (text.includes(begin.toLowerCase())) shown.add(field)
      },
    })
    expect(live).toEqual([])
    expect(windows.flatMap(({ complaints }) => complaints)).toEqual([])
    expect(seen.size).toBeGreaterThan(MIN_KINDS)
    const resources = new Set([...written.keys()].map(getResource))
    for (const field of shown) resources.delete(getResource(field))
    expect([...resources]).toEqual(WITHOUT_PAGE)
    expect(shown.size).toBeGreaterThan(MIN_FIELDS_SHOWN)
  })
})

/** Replaces a text in every text or JSON column, and returns how many columns had it. */
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

const getResource = (field: string) => field.split(':')[0] ?? ''

/** The user agent is hostile too, because the list of sessions shows it. */
async function openAdminWindows(): Promise<Watched[]> {
  const { owner } = site.service
  const user_agent = `session:user-agent ${PAYLOADS[1]}`
  written.set('session:user-agent', user_agent.slice(0, 'session:user-agent '.length + 12))
  const first = await site.newWindow('desk')
  await enter(first.context, await insertSessionAt(owner, systemClock.now(), 'admin', user_agent))
  const others = await Promise.all(Array.from({ length: WINDOWS - 1 }, () => watch(first.context)))
  const windows = [first, ...others.map(closeAfterTest)]
  for (const { page } of windows) await show(page, `/${ORG}`)
  return windows
}

/** The page of every attestation, with its drawer open. */
async function listAttestationPages(): Promise<string[]> {
  const { text } = await site.service.call('GET', `/api/v2/attestations/${ORG}?per_page=50`, {
    key: site.service.key,
  })
  const { data } = JSON.parse(text) as { data: { html_url: string }[] }
  return data.map(({ html_url }) => new URL(html_url)).map(url => url.pathname + url.search)
}
