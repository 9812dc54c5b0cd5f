// Who is told of what: a mail that arrives, an address that is refused, a flow that is told of, and a message that is sent
// once more.
import { beforeAll, describe, expect, it } from 'vitest'
import { accessibilityProblems, DEMO_ORG, mailed, openSite, type Site, visit } from './browser.ts'

const NOTIFICATIONS = `/${DEMO_ORG}/settings/notifications`
const ON_CALL = 'night-shift@harbour-bank.example'
const RELEASES = 'releases@harbour-bank.example'

let site: Site
beforeAll(async () => {
  site = await openSite()
})

describe('a notification', () => {
  it('is made, tried, and its mail arrives', async () => {
    const { page, complaints } = await site.newWindow('desk', 'teo')
    await visit(page, NOTIFICATIONS)
    await page.getByRole('link', { name: 'New notification' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Night shift')
    await page.getByRole('combobox', { name: 'Environments' }).fill('prod')
    await page.getByRole('option', { name: 'production', exact: true }).click()
    await page.getByRole('combobox', { name: 'Mail addresses' }).fill(ON_CALL)
    await page.getByRole('button', { name: 'Create the notification' }).click()
    await page.waitForURL(`**${NOTIFICATIONS}`)
    const sending = () => page.getByRole('button', { name: 'Send a test: Night shift' }).dblclick()
    await mailed(site.service, ON_CALL, /Subject: .*test/i, sending)
    await page.getByRole('link', { name: 'See what becomes of it' }).click()
    await page.waitForURL(/deliveries\?.*event_type=TEST/)
    await page.getByRole('row', { name: /DELIVERED.*Night shift/ }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    expect(complaints).toEqual([])
  })

  it('to an address that the service would not call is refused at its field', async () => {
    const { page, complaints } = await site.newWindow('phone', 'mara')
    await visit(page, `${NOTIFICATIONS}/new`)
    await page.getByRole('textbox', { name: 'Name' }).fill('To a neighbour')
    await page.getByRole('combobox', { name: 'Environments' }).fill('prod')
    await page.getByRole('option', { name: 'production', exact: true }).click()
    await page.getByRole('button', { name: 'Remove Mail (target 1)' }).click()
    await page.getByRole('button', { name: 'Add webhook' }).click()
    const target = page.getByRole('group', { name: 'Webhook (target 1)' })
    await target.getByRole('textbox', { name: 'Address' }).fill('https://127.0.0.1/hook')
    await target.getByRole('button', { name: 'Generate a signing secret' }).click()
    const secret = await target.getByLabel('Secret', { exact: true }).innerText()
    await page.getByRole('button', { name: 'Create the notification' }).click()
    await target.getByText('Webhook address is not allowed: it must be a public https address').waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await target.getByLabel('Secret', { exact: true }).innerText()).toBe(secret)
    await target.getByRole('textbox', { name: 'Address' }).fill('https://hooks.example.com/waybill')
    await page.getByRole('button', { name: 'Create the notification' }).click()
    await page.waitForURL(`**${NOTIFICATIONS}`)
    await page.getByRole('link', { name: 'To a neighbour', exact: true }).waitFor()
    expect(await page.content()).not.toContain(secret)
    expect(complaints).toEqual([expect.stringContaining('400')])
  })
})

describe('a notification about a flow', () => {
  it('is made, seen, changed, tried and deleted', async () => {
    const { page, complaints } = await site.newWindow('phone', 'mara')
    await visit(page, NOTIFICATIONS)
    await page.getByRole('heading', { name: 'Nobody is told about flows yet' }).waitFor()
    await page.getByText(/^curl -X PUT .*flows_notifications/).waitFor()
    await page.getByRole('link', { name: 'New notification' }).click()
    await page.getByRole('radio', { name: 'Flows' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Payments moves')
    await page.getByRole('combobox', { name: 'Mail addresses' }).fill(RELEASES)
    await page.getByRole('checkbox', { name: 'A trail begins' }).click()
    await page.getByRole('button', { name: 'Create the notification' }).click()
    await page.getByText('This field is required', { exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Flows' }).fill('payments')
    await page.getByRole('option', { name: 'payments-api', exact: true }).click()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Create the notification' }).click()
    await page.waitForURL(`**${NOTIFICATIONS}`)
    await page.getByText('In payments-api: somebody gives an approval; a trail begins').waitFor()

    await page.getByRole('link', { name: 'Edit Payments moves' }).click()
    await page.waitForURL(/notifications\/\d+\?about=flows$/)
    expect(await page.getByRole('radio').count()).toBe(0)
    await page.getByRole('textbox', { name: 'Name' }).fill('Payments is approved')
    await page.getByRole('checkbox', { name: 'A trail begins' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(`**${NOTIFICATIONS}`)
    await page.getByText('In payments-api: somebody gives an approval', { exact: true }).waitFor()

    const sending = () => page.getByRole('button', { name: 'Send a test: Payments is approved' }).click()
    await mailed(site.service, RELEASES, /Subject: .*test/i, sending)
    await page.getByText('A test is on its way to one target').waitFor()
    expect(await accessibilityProblems(page)).toEqual([])

    await page.getByRole('button', { name: 'Delete Payments is approved' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Nobody is told about flows yet' }).waitFor()
    expect(complaints).toEqual([expect.stringContaining('400')])
  })
})

describe('a message that did not arrive', () => {
  it('tells why, and is sent again by whoever may', async () => {
    const { page, complaints } = await site.newWindow('desk', 'teo')
    await visit(page, `${NOTIFICATIONS}/deliveries?number=3`)
    await page.getByText('The host name could not be resolved').first().waitFor()
    await page
      .getByRole('link', { name: /all-live of harbour-bank is NON-COMPLIANT/ })
      .first()
      .click()
    await page.waitForURL(/delivery=/)
    const drawer = page.getByRole('dialog')
    const attempts = drawer.getByText(/^No answer after \d+ ms$/)
    await attempts.first().waitFor()
    const before = await attempts.count()
    await drawer.getByRole('button', { name: 'Send it again' }).click()
    await page.getByText('It is sent again').waitFor()
    await expect.poll(() => attempts.count()).toBeGreaterThan(before)
    expect(await accessibilityProblems(page)).toEqual([])
    await drawer.getByRole('button', { name: 'Close' }).click()
    await drawer.waitFor({ state: 'detached' })

    const ines = await site.newWindow('phone', 'ines')
    await visit(ines.page, page.url().replace(site.service.url, ''))
    await expect.poll(() => ines.page.getByRole('button', { name: /Send/ }).count()).toBe(0)
    expect([...complaints, ...ines.complaints]).toEqual([])
  })
})
