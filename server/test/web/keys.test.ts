// A key of a program: made, used, rotated while both work, revoked. Its secret is shown once and is nowhere afterwards.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { accessibilityProblems, DEMO_ORG, openSite, overflow, type Site, settled, visit } from './browser.ts'

const ACCOUNTS = `/${DEMO_ORG}/settings/service-accounts`

let site: Site
beforeAll(async () => {
  site = await openSite()
})

describe('a program', () => {
  it('gets an account and a key, and another key before the first one ends', async () => {
    const { page, complaints } = await site.newWindow('desk', 'mara')
    await makeAccount(page)
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('dialog').getByLabel('What it is for').fill('nightly run')
    await page.getByRole('button', { name: 'Create the key' }).dblclick()
    const first = await takeSecret(page)
    expect(await statusWith(first)).toBe(200)
    expect(await placesOf(page, first)).toEqual([])
    await expect.poll(() => page.getByRole('row', { name: /^nightly run/ }).count()).toBe(1)

    await page.getByRole('button', { name: /^Rotate nightly run/ }).click()
    await page.getByLabel('Hours for which the old key goes on working').fill('3')
    await page.getByRole('button', { name: 'Rotate the key' }).click()
    const second = await takeSecret(page)
    expect(await placesOf(page, second)).toEqual([])
    const old = page.getByRole('row', { name: new RegExp(first.slice(0, first.lastIndexOf('_'))) })
    await old.getByText(/in [23] hours/).waitFor()
    await old.getByText('Ends soon').waitFor()
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200])

    await old.getByRole('button', { name: /^Revoke/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await old.waitFor({ state: 'detached' })
    expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200])
    expect(await accessibilityProblems(page)).toEqual([])
    // The name that was taken.
    expect(complaints).toEqual([expect.stringContaining('400')])
  })

  it('is known by everybody who may report, and changed only by its owner and by admins', async () => {
    const { page, complaints } = await site.newWindow('phone', 'teo')
    await visit(page, `${ACCOUNTS}/pipeline`)
    await page.getByText('Owner: priya').waitFor()
    await page.getByText(/Only admins and the owner change the account/).waitFor()
    await page
      .getByRole('row', { name: /Build server, new each quarter.*Only read, report and attest.*Ends soon/ })
      .waitFor()
    await expect
      .poll(() => page.getByRole('button', { name: /New key|Rotate|Revoke|Save|Delete|owner/ }).count())
      .toBe(0)
    await visit(page, ACCOUNTS)
    await page.getByText('Here, only admins create service accounts.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'New service account' }).count()).toBe(0)
    const priya = await site.newWindow('desk', 'priya')
    await visit(priya.page, `${ACCOUNTS}/pipeline`)
    await priya.page.getByRole('button', { name: 'New key' }).waitFor()
    expect([...complaints, ...priya.complaints]).toEqual([])
  })

  it('goes when an admin types its name', async () => {
    const { page, complaints } = await site.newWindow('phone', 'mara')
    await visit(page, `${ACCOUNTS}/nightly`)
    await page.getByRole('button', { name: 'Delete the service account nightly' }).click()
    await page.getByLabel('Type nightly to confirm').fill('nightly')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(`**${ACCOUNTS}`)
    await settled(page)
    await expect.poll(() => page.getByRole('link', { name: 'nightly' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('a key with limits', () => {
  it('does what it is limited to and nothing else, and the list says so', async () => {
    const { page, complaints } = await site.newWindow('desk', 'mara')
    await visit(page, `${ACCOUNTS}/cluster-watcher`)
    await page.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What it is for').fill('watches production')
    await dialog.getByText('At most 365 days from now').waitFor()
    await dialog.getByText('Limits (optional)').click()
    for (const each of ['attest', 'administer']) await dialog.getByRole('checkbox', { name: each }).uncheck()
    await dialog.getByRole('combobox', { name: 'Environments' }).click()
    await page.getByRole('option', { name: 'production' }).click()
    const addresses = dialog.getByRole('combobox', { name: 'Allowed addresses' })
    await addresses.fill('next door')
    await dialog.getByRole('button', { name: 'Create the key' }).click()
    await dialog.getByText('Input should be an IP address or a CIDR range', { exact: true }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await addresses.press('Backspace')
    await addresses.fill('127.0.0.1')
    await dialog.getByRole('button', { name: 'Create the key' }).click()
    const key = await takeSecret(page)
    expect([await statusWith(key), await statusWith(key, '/production')]).toEqual([403, 200])
    const row = page.getByRole('row', { name: /^watches production/ })
    await row.getByText('Only read and report').waitFor()
    await row.getByText('Only environment production').waitFor()
    await row.getByText('Only from 127.0.0.1').waitFor()
    await page.reload()
    await row.getByText(/ago from 127\.0\.0\.1|now from 127\.0\.0\.1/).waitFor()
    // The address that is none.
    expect(complaints).toEqual([expect.stringContaining('400')])
  })

  it('can be personal, and is for no single flow or environment then', async () => {
    const { page, complaints } = await site.newWindow('phone', 'jonas')
    await visit(page, `/${DEMO_ORG}/profile`)
    await page.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What it is for').fill('my laptop')
    await dialog.getByText('Limits (optional)').click()
    expect(await dialog.getByRole('combobox', { name: /Flows|Environments/ }).count()).toBe(0)
    for (const each of ['report', 'attest', 'administer'])
      await dialog.getByRole('checkbox', { name: each }).uncheck()
    expect(await overflow(page)).toBeLessThanOrEqual(0)
    expect(await accessibilityProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create the key' }).click()
    expect(await statusWith(await takeSecret(page))).toBe(200)
    await page.getByRole('row', { name: /^my laptop .*Only read / }).waitFor()
    expect(complaints).toEqual([])
  })
})

async function makeAccount(page: Page): Promise<void> {
  await visit(page, ACCOUNTS)
  await page.getByRole('button', { name: 'New service account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('pipeline')
  await dialog.getByRole('button', { name: 'Create the account' }).click()
  await dialog
    .getByText(/'pipeline' already exists/)
    .first()
    .waitFor()
  await dialog.getByLabel('Name').fill('nightly')
  await dialog.getByRole('button', { name: 'Create the account' }).click()
  await page.waitForURL(`**${ACCOUNTS}/nightly`)
  await settled(page)
}

/** As somebody does who copies it and closes the dialog. */
async function takeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog')
  await dialog.getByText("Copy this secret now. You won't see it again.").waitFor()
  const secret = await dialog.getByLabel('Secret', { exact: true }).innerText()
  // The search would find it, on the page and in what the app can reach.
  expect(await placesOf(page, secret)).toEqual(
    expect.arrayContaining(['the page', expect.stringMatching(/^the cache/)]),
  )
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await dialog.waitFor({ state: 'detached' })
  return secret
}

async function statusWith(key: string, below = ''): Promise<number> {
  const address = `${site.service.url}/api/v2/environments/${DEMO_ORG}${below}`
  return (await fetch(address, { headers: { authorization: `Bearer ${key}` } })).status
}

/** Where the secret can still be found: in the page, the address, the storage, and whatever the app can reach. */
function placesOf(page: Page, secret: string): Promise<string[]> {
  return page.evaluate<string[]>(`(${SEARCH})(${JSON.stringify(secret)})`)
}

const SEARCH = `secret => {
  const places = []
  const look = (place, text) => { if (String(text).includes(secret)) places.push(place) }
  look('the page', document.documentElement.outerHTML)
  look('a field', [...document.querySelectorAll('input, textarea')].map(({ value }) => value).join())
  look('the address', location.href)
  look('the history', JSON.stringify(history.state))
  look('the storage', JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }))
  const root = document.getElementById('root')
  const waiting = Object.keys(root).filter(key => key.startsWith('__react')).map(key => [key, root[key]])
  const seen = new Set()
  let hasCache = false
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [path, value] = next
    if (typeof value === 'string') look(path, value)
    if (value === null || typeof value !== 'object' || value instanceof Node || seen.has(value)) continue
    seen.add(value)
    // The caches keep what they have to themselves, unless they are asked.
    const caches = typeof value.getMutationCache === 'function' ? [value.getQueryCache(), value.getMutationCache()] : []
    for (const cache of caches) waiting.push(['the cache', cache.getAll().map(({ state }) => state)])
    hasCache ||= caches.length > 0
    const inside = value instanceof Map || value instanceof Set ? [...value] : []
    for (const [key, each] of [...Object.entries(value), ...inside.entries()]) {
      if (typeof each === 'object' || typeof each === 'string') waiting.push([(path + '.' + key).slice(-200), each])
    }
  }
  if (!hasCache) places.push('the search did not come to the caches')
  return places
}`
