// Access to an organization: mail domains, security settings, trust rules, and the owners of service accounts.

import { type DnsServer, startDnsServer } from '@waybill/testing/dns-server'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  DEMO_ORG,
  findAccessibilityProblems,
  measureOverflow,
  openSharedSite,
  settled,
  show,
} from './browser.ts'
import { type Company, must, ORG, openCompany } from './company.ts'

const SETTINGS = `/${ORG}/settings`
const ACCOUNTS = `${SETTINGS}/service-accounts`

let dns: DnsServer
let company: Company
beforeAll(async () => {
  dns = await startDnsServer()
  company = await openCompany({ settings: { WAYBILL_DNS_SERVER: dns.address } })
  const account = { name: 'cluster-watcher', privilege: 'snapshotter' }
  must(await company.app.admin.post(`/service-accounts/${ORG}`, account))
})
afterAll(() => dns.stop())

describe('a mail domain', () => {
  it('is claimed, verified by its DNS record, fails without the record, and is released', async () => {
    const { page, context, complaints } = await company.newWindow('desk', 'mara')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await show(page, `${SETTINGS}/scim-tokens`)
    await page.getByRole('main').getByRole('link', { name: 'mail domain' }).click()
    await page.waitForURL(`**${SETTINGS}/mail-domains`)
    await page.getByRole('button', { name: 'Claim a domain' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Domain').fill('localhost')
    await dialog.getByRole('button', { name: 'Claim domain' }).click()
    await dialog
      .getByText('The format is not valid. See the description of this field.', { exact: true })
      .waitFor()
    await dialog.getByLabel('Domain').fill(' Payments.Example ')
    await dialog.getByRole('button', { name: 'Claim domain' }).click()
    await dialog.waitFor({ state: 'detached' })

    const card = page.getByRole('region', { name: 'payments.example' })
    await card.getByText('Not verified').waitFor()
    await card.getByText('not checked yet').waitFor()
    const copied = async (part: string) => {
      await card.getByRole('button', { name: `Copy the ${part} of the record of payments.example` }).click()
      return page.evaluate<string>('navigator.clipboard.readText()')
    }
    const record = { type: await copied('type'), name: await copied('name'), value: await copied('value') }
    expect(record).toEqual({
      type: 'TXT',
      name: '_waybill-challenge.payments.example',
      value: expect.stringMatching(/^waybill-domain=/),
    })

    const check = card.getByRole('button', { name: 'Check now' })
    await check.click()
    await card.getByText('There is no TXT record at this name yet').waitFor()
    dns.names[record.name] = () => [record.value]
    await check.click()
    await card.getByText('Verified', { exact: true }).waitFor()
    await page.getByText('Verified payments.example').first().waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    delete dns.names[record.name]
    await check.click()
    await card.getByText('Failing', { exact: true }).waitFor()
    await card.getByText(/stays verified until the record has been missing for seven days/).waitFor()

    await card.getByRole('button', { name: 'Release payments.example' }).click()
    await dialog.getByRole('button', { name: 'Release' }).click()
    await card.waitFor({ state: 'detached' })
    // The invalid domain.
    expect(complaints).toEqual([expect.stringContaining('400')])
  })

  it('is unverified in the demo, and only admins and auditors see it', async () => {
    const site = await openSharedSite()
    const { page, complaints } = await site.sameWindow('phone', 'mara')
    await show(page, `/${DEMO_ORG}/settings/mail-domains`)
    const card = page.getByRole('region', { name: 'harbour-bank.example' })
    await card.getByText('_waybill-challenge.harbour-bank.example').waitFor()
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    const teo = await site.sameWindow('desk', 'teo')
    await show(teo.page, `/${DEMO_ORG}/settings/mail-domains`)
    await teo.page.getByRole('heading', { name: 'Only auditors and admins can see mail domains' }).waitFor()
    await settled(teo.page)
    expect([...complaints, ...teo.complaints]).toEqual([])
  })
})

describe('the security settings', () => {
  it('are saved, and errors are shown at their fields', async () => {
    const { page, complaints } = await company.newWindow('desk', 'mara')
    await show(page, `${SETTINGS}/organization`)
    const lifetime = page.getByLabel('Maximum key lifetime (days)')
    const addresses = page.getByRole('combobox', { name: 'Allowed addresses' })
    const grace = page.getByLabel('Grace period after an owner leaves (days)')
    const save = page.getByRole('button', { name: 'Save' })
    await lifetime.fill('5000')
    await addresses.fill('198.51.100.7')
    await addresses.press('Enter')
    await grace.fill('91')
    await save.click()
    await expect.poll(() => readDescription(lifetime)).toMatch(/less than or equal to 3650/)
    await expect.poll(() => readDescription(grace)).toMatch(/less than or equal to 90/)
    await lifetime.fill('180')
    await grace.fill('14')
    await save.click()
    await expect.poll(() => readDescription(addresses)).toMatch(/should include 127\.0\.0\.1/)
    await addresses.fill('127.0.0.0/8')
    await addresses.press('Enter')
    await addresses.fill('next door')
    await addresses.press('Enter')
    await save.click()
    await expect.poll(() => readDescription(addresses)).toMatch(/an IP address or a CIDR range/)
    await addresses.press('Backspace')
    await page.getByRole('combobox', { name: 'Who can create service accounts' }).click()
    await page.getByRole('option', { name: 'members and admins', exact: true }).click()
    await save.click()
    await page.getByText('Saved the settings', { exact: true }).first().waitFor()
    expect(await readSettings()).toMatchObject({
      max_key_lifetime_days: 180,
      allowed_addresses: ['198.51.100.7', '127.0.0.0/8'],
      service_account_creators: 'member',
      leaver_grace_days: 14,
    })
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual(Array(3).fill(expect.stringContaining('400')))
  })

  it('are visible to members, and the maximum can be removed', async () => {
    const { page } = await company.newWindow('phone', 'mara')
    await show(page, `${SETTINGS}/organization`)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    const teo = await company.newWindow('desk', 'teo')
    await show(teo.page, `${SETTINGS}/organization`)
    await teo.page.getByRole('row', { name: 'Key lifetime at most 180 days' }).waitFor()
    await teo.page.getByRole('row', { name: 'Service accounts created by members and admins' }).waitFor()
    await page.getByLabel('Maximum key lifetime (days)').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the settings', { exact: true }).first().waitFor()
    expect(await readSettings()).toMatchObject({ max_key_lifetime_days: null })
  })
})

describe('a trust rule', () => {
  it('lets builds read, report and attest by default, and administer only if selected', async () => {
    const { page, complaints } = await company.newWindow('desk', 'mara')
    await show(page, `${SETTINGS}/new-trust-rule`)
    await page.getByLabel('Name').fill('ledger-main')
    await page.getByLabel('Token issuer').fill('https://token.actions.githubusercontent.com')
    await page.getByLabel('Value of repository_id').fill('74')
    const create = page.getByRole('button', { name: 'Create rule' })
    expect(await readChecked(page)).toEqual(['read', 'report', 'attest'])
    for (const each of ['read', 'report', 'attest'])
      await page.getByRole('checkbox', { name: each }).uncheck()
    await create.click()
    await page.getByText('Select at least one operation').waitFor()
    await page.getByRole('checkbox', { name: 'read' }).and(page.locator(':focus')).waitFor()
    for (const each of ['administer', 'read']) await page.getByRole('checkbox', { name: each }).check()
    await create.click()
    await page.waitForURL(`**${SETTINGS}/trust-rules`)
    await page.getByRole('row', { name: /ledger-main .* read and administer, as member/ }).waitFor()
    await page.getByRole('link', { name: 'ledger-main' }).click()
    await page.waitForURL(`**${SETTINGS}/trust-rules/ledger-main`)
    await settled(page)
    await expect.poll(() => readChecked(page)).toEqual(['read', 'administer'])
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('a trust rule of a private cluster', () => {
  it('pins the service account and has the keys of the cluster, which are shown again', async () => {
    const { page, complaints } = await company.newWindow('desk', 'mara')
    await show(page, `${SETTINGS}/new-trust-rule`)
    await page.getByLabel('Name').fill('cluster')
    await page.getByRole('combobox', { name: 'CI system' }).click()
    await page.getByRole('option', { name: 'Kubernetes service account' }).click()
    await page.getByLabel('Token issuer').fill('https://kubernetes.default.svc.cluster.local')
    await page.getByLabel('Value of sub').fill('system:serviceaccount:waybill:*')
    const keys = page.getByLabel('Public keys (JWKS)')
    await keys.fill('{"keys": ')
    const create = page.getByRole('button', { name: 'Create rule' })
    await create.click()
    await page.getByText('This is not a JSON object with a list of keys').waitFor()
    await keys.and(page.locator(':focus')).waitFor()
    const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
    await keys.fill(JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'one', x }] }))
    await create.click()
    // Next to the field, and nowhere else.
    await page.getByText('Input should be system:serviceaccount:<namespace>:<name>').waitFor()
    await page.getByLabel('Value of sub').and(page.locator(':focus')).waitFor()
    await page.getByLabel('Value of sub').fill('system:serviceaccount:waybill:reporter')
    await create.click()
    await page.waitForURL(`**${SETTINGS}/trust-rules`)
    await page.getByRole('link', { name: 'cluster' }).click()
    await settled(page)
    await expect.poll(() => keys.inputValue()).toContain(x)
    expect(await page.getByRole('combobox', { name: 'CI system' }).inputValue()).toBe(
      'Kubernetes service account',
    )
    expect(await findAccessibilityProblems(page)).toEqual([])
    // The refusal of the wildcard is a 400, which the browser reports.
    expect(complaints.filter(complaint => !complaint.includes('400'))).toEqual([])
  })
})

describe('a service account', () => {
  it('belongs to its creator; when they leave, an admin sees when its keys stop working', async () => {
    const { admin } = company.app
    const settings = { service_account_creators: 'member', leaver_grace_days: 14 }
    must(await admin.patch(`/organizations/${ORG}`, { settings }))
    const teo = await company.newWindow('phone', 'teo')
    await show(teo.page, ACCOUNTS)
    await teo.page.getByRole('button', { name: 'New service account' }).click()
    const dialog = teo.page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('teos-robot')
    expect(await dialog.getByRole('combobox', { name: 'Owner' }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Create account' }).click()
    await teo.page.waitForURL('**/teos-robot')
    await teo.page.getByText('Owner: teo').waitFor()
    await teo.page.getByRole('button', { name: 'New key' }).waitFor()
    // All its requests would be refused from then on.
    await teo.page.close()
    must(await admin.delete(`/members/${ORG}/teo`))

    const { page, complaints } = await company.newWindow('desk', 'mara')
    await show(page, `${ACCOUNTS}/teos-robot`)
    await page.getByText(`teo, the owner, has left ${ORG}`).waitFor()
    await page.getByText(/Its keys stop working in 1[34] days/).waitFor()
    await page.getByRole('button', { name: 'Choose an owner of teos-robot' }).waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await show(page, ACCOUNTS)
    // Accounts that need a new owner come before `cluster-watcher`.
    const first = page.getByRole('row').nth(1)
    await expect
      .poll(() => first.innerText())
      .toMatch(/teos-robot.*teo.*Its keys stop working in 1[34] days/is)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await chooseOwner(page, 'Choose an owner of teos-robot', 'Organization')
    await page.getByRole('row', { name: /^teos-robot reader Organization/ }).waitFor()
    await page.getByRole('link', { name: 'teos-robot' }).click()
    await page.getByText('Owner: Organization').waitFor()
    await chooseOwner(page, 'Change owner of teos-robot', 'jonas')
    await page.getByText('Owner: jonas').waitFor()
    expect([...complaints, ...teo.complaints]).toEqual([])
  })

  it('can be given to somebody else by the admin who creates it', async () => {
    const { page, complaints } = await company.newWindow('phone', 'mara')
    await show(page, ACCOUNTS)
    await page.getByRole('button', { name: 'New service account' }).click()
    const dialog = page.getByRole('dialog')
    const owner = dialog.getByRole('combobox', { name: 'Owner' })
    await expect.poll(() => owner.inputValue()).toBe('mara')
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('scanner')
    await owner.fill('pri')
    await page.getByRole('option', { name: 'priya' }).click()
    await dialog.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/scanner')
    await page.getByText('Owner: priya').waitFor()
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})

async function chooseOwner(page: Page, button: string, owner: string): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Owner' }).click()
  await page.getByRole('option', { name: owner }).click()
  await dialog.getByRole('button', { name: 'Save owner' }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** The selected operations, in order. */
async function readChecked(page: Page): Promise<string[]> {
  const boxes = page.getByRole('group', { name: 'Operations' }).getByRole('checkbox', { checked: true })
  return boxes.evaluateAll(found => found.map(box => (box as unknown as { value: string }).value))
}

/** The description and error of a field, as screen readers announce them. */
async function readDescription(field: Locator): Promise<string> {
  const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? []
  const texts = await Promise.all(ids.map(id => field.page().locator(`[id="${id}"]`).allInnerTexts()))
  return texts.flat().join(' ')
}

const readSettings = async () => must(await company.app.admin.get(`/organizations/${ORG}`)).settings
