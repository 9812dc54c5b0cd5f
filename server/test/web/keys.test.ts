// API keys: created, used, rotated while both work, and revoked. The secret is shown once and kept nowhere.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  DEMO_ORG,
  findAccessibilityProblems,
  measureOverflow,
  openSharedSite,
  settled,
  show,
} from './browser.ts'
import { type Company, must, ORG, openCompany } from './company.ts'
import { passTimeOfMachine } from './open-app.ts'

const ACCOUNTS = `/${ORG}/settings/service-accounts`

let company: Company
beforeAll(async () => {
  company = await openCompany()
  // The browser proposes days of this machine's calendar.
  passTimeOfMachine(company.app)
  const { admin } = company.app
  must(await admin.patch(`/organizations/${ORG}`, { settings: { max_key_lifetime_days: 365 } }))
  must(await admin.put(`/environments/${ORG}`, { name: 'production', type: 'K8S' }))
  for (const name of ['pipeline', 'cluster-watcher'])
    must(await admin.post(`/service-accounts/${ORG}`, { name, privilege: 'snapshotter' }))
})

describe('a service account', () => {
  it('gets a key, and a new key before the first one expires', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'mara')
    await makeAccount(page)
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('dialog').getByLabel('Description').fill('nightly run')
    await page.getByRole('button', { name: 'Create key' }).dblclick()
    const first = await takeSecret(page)
    expect(await readStatusWith(first)).toBe(200)
    expect(await findSecret(page, first)).toEqual([])
    await expect.poll(() => page.getByRole('row', { name: /^nightly run/ }).count()).toBe(1)

    await page.getByRole('button', { name: /^Rotate nightly run/ }).click()
    await page.getByLabel('Hours until the old key stops working').fill('3')
    await page.getByRole('button', { name: 'Rotate key' }).click()
    const second = await takeSecret(page)
    expect(await findSecret(page, second)).toEqual([])
    const old = page.getByRole('row', { name: new RegExp(first.slice(0, first.lastIndexOf('_'))) })
    await old.getByText(/in [23] hours/).waitFor()
    await old.getByText('Expires soon').waitFor()
    expect([await readStatusWith(first), await readStatusWith(second)]).toEqual([200, 200])

    await old.getByRole('button', { name: /^Revoke/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await old.waitFor({ state: 'detached' })
    expect([await readStatusWith(first), await readStatusWith(second)]).toEqual([401, 200])
    expect(await findAccessibilityProblems(page)).toEqual([])
    // The name that already exists.
    expect(complaints).toEqual([expect.stringContaining('400')])
  })

  it('is visible to everyone who can report, and only its owner and admins can change it', async () => {
    const site = await openSharedSite()
    const accounts = `/${DEMO_ORG}/settings/service-accounts`
    const { page, complaints } = await site.sameWindow('phone', 'teo')
    await show(page, `${accounts}/pipeline`)
    await page.getByText('Owner: priya').waitFor()
    await page.getByText(/Only admins and the owner can change the account/).waitFor()
    await page
      .getByRole('row', {
        name: /Build server, rotated every quarter.*Only read, report and attest.*Expires soon/,
      })
      .waitFor()
    await expect
      .poll(() => page.getByRole('button', { name: /New key|Rotate|Revoke|Save|Delete|owner/ }).count())
      .toBe(0)
    await show(page, accounts)
    await page.getByText('Only admins can create service accounts.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'New service account' }).count()).toBe(0)
    const priya = await site.sameWindow('desk', 'priya')
    await show(priya.page, `${accounts}/pipeline`)
    await priya.page.getByRole('button', { name: 'New key' }).waitFor()
    expect([...complaints, ...priya.complaints]).toEqual([])
  })

  it('is deleted when an admin types its name', async () => {
    const { page, complaints } = await company.sameWindow('phone', 'mara')
    await show(page, `${ACCOUNTS}/nightly`)
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
  it('can do only what it is limited to, and the list shows the limits', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'mara')
    await show(page, `${ACCOUNTS}/cluster-watcher`)
    await page.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Description').fill('watches production')
    await dialog.getByText('At most 365 days from now').waitFor()
    await dialog.getByText('Limits (optional)').click()
    for (const each of ['attest', 'administer']) await dialog.getByRole('checkbox', { name: each }).uncheck()
    await dialog.getByRole('combobox', { name: 'Environments' }).click()
    await page.getByRole('option', { name: 'production' }).click()
    const addresses = dialog.getByRole('combobox', { name: 'Allowed addresses' })
    await addresses.fill('next door')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText('Input should be an IP address or a CIDR range', { exact: true }).waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await addresses.press('Backspace')
    await addresses.fill('127.0.0.1')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const key = await takeSecret(page)
    expect([await readStatusWith(key), await readStatusWith(key, '/production')]).toEqual([403, 200])
    const row = page.getByRole('row', { name: /^watches production/ })
    await row.getByText('Only read and report').waitFor()
    await row.getByText('Only environment production').waitFor()
    await row.getByText('Only from 127.0.0.1').waitFor()
    await page.reload()
    await row.getByText(/ago from 127\.0\.0\.1|now from 127\.0\.0\.1/).waitFor()
    // The invalid address.
    expect(complaints).toEqual([expect.stringContaining('400')])
  })

  it('can be personal, without limits to flows or environments', async () => {
    const { page, complaints } = await company.sameWindow('phone', 'jonas')
    await show(page, `/${ORG}/profile`)
    await page.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Description').fill('my laptop')
    await dialog.getByText('Limits (optional)').click()
    expect(await dialog.getByRole('combobox', { name: /Flows|Environments/ }).count()).toBe(0)
    for (const each of ['report', 'attest', 'administer'])
      await dialog.getByRole('checkbox', { name: each }).uncheck()
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create key' }).click()
    expect(await readStatusWith(await takeSecret(page))).toBe(200)
    await page.getByRole('row', { name: /^my laptop .*Only read / }).waitFor()
    expect(complaints).toEqual([])
  })
})

async function makeAccount(page: Page): Promise<void> {
  await show(page, ACCOUNTS)
  await page.getByRole('button', { name: 'New service account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('pipeline')
  await dialog.getByRole('button', { name: 'Create account' }).click()
  await dialog
    .getByText(/'pipeline' already exists/)
    .first()
    .waitFor()
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('nightly')
  await dialog.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL(`**${ACCOUNTS}/nightly`)
  await settled(page)
}

/** Copies the secret and closes the dialog. */
async function takeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog')
  await dialog.getByText("Copy this secret now. You won't see it again.").waitFor()
  const secret = await dialog.getByLabel('Secret', { exact: true }).innerText()
  // Proves that the search below finds the secret while it is shown.
  expect(await findSecret(page, secret)).toEqual(
    expect.arrayContaining(['the page', expect.stringMatching(/^the cache/)]),
  )
  await dialog.getByRole('button', { name: "I've copied it" }).click()
  await dialog.waitFor({ state: 'detached' })
  return secret
}

async function readStatusWith(key: string, below = ''): Promise<number> {
  const address = `${company.url}/api/v2/environments/${ORG}${below}`
  return (await fetch(address, { headers: { authorization: `Bearer ${key}` } })).status
}

/** Where the secret can be found: in the page, the address, the storage, or any object that the app can reach. */
function findSecret(page: Page, secret: string): Promise<string[]> {
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
    // The caches have private fields, so their content is read through their methods.
    const caches = typeof value.getMutationCache === 'function' ? [value.getQueryCache(), value.getMutationCache()] : []
    for (const cache of caches) waiting.push(['the cache', cache.getAll().map(({ state }) => state)])
    hasCache ||= caches.length > 0
    const inside = value instanceof Map || value instanceof Set ? [...value] : []
    for (const [key, each] of [...Object.entries(value), ...inside.entries()]) {
      if (typeof each === 'object' || typeof each === 'string') waiting.push([(path + '.' + key).slice(-200), each])
    }
  }
  if (!hasCache) places.push('the search did not reach the caches')
  return places
}`
