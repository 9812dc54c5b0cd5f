// The notification pages: an email that arrives, a URL that is rejected, a notification about a flow, and a message that is
// resent.
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, findAccessibilityProblems, openSite, type Site, show, waitForMail } from './browser.ts'

const NOTIFICATIONS = `/${DEMO_ORG}/settings/notifications`
const ON_CALL = 'night-shift@harbour-bank.example'
const RELEASES = 'releases@harbour-bank.example'

let site: Site
beforeAll(async () => {
  site = await openSite()
})

describe('a notification', () => {
  it('is created and tested, and its email arrives', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, NOTIFICATIONS)
    await page.getByRole('link', { name: 'New notification' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Night shift')
    await page.getByRole('combobox', { name: 'Environments' }).fill('prod')
    await page.getByRole('option', { name: 'production', exact: true }).click()
    await page.getByRole('combobox', { name: 'Email addresses' }).fill(ON_CALL)
    await page.getByRole('button', { name: 'Create notification' }).click()
    await page.waitForURL(`**${NOTIFICATIONS}`)
    const sending = () => page.getByRole('button', { name: 'Send a test: Night shift' }).dblclick()
    await waitForMail(site.service, ON_CALL, /Subject: .*test/i, sending)
    await page.getByRole('link', { name: 'See its delivery' }).click()
    await page.waitForURL(/deliveries\?.*event_type=TEST/)
    await page.getByRole('row', { name: /Delivered.*Night shift/ }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    expect(complaints).toEqual([])
  })

  it('with a URL that the service would not call shows the error at its field', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'mara')
    await show(page, `${NOTIFICATIONS}/new`)
    await page.getByRole('textbox', { name: 'Name' }).fill('To a neighbour')
    await page.getByRole('combobox', { name: 'Environments' }).fill('prod')
    await page.getByRole('option', { name: 'production', exact: true }).click()
    await page.getByRole('button', { name: 'Remove Email (target 1)' }).click()
    await page.getByRole('button', { name: 'Add webhook' }).click()
    const target = page.getByRole('group', { name: 'Webhook (target 1)' })
    await target.getByRole('textbox', { name: 'URL' }).fill('https://127.0.0.1/hook')
    await target.getByRole('button', { name: 'Generate a signing secret' }).click()
    const secret = await target.getByLabel('Secret', { exact: true }).innerText()
    await page.getByRole('button', { name: 'Create notification' }).click()
    await target.getByText('Webhook address is not allowed: it must be a public https address').waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(await target.getByLabel('Secret', { exact: true }).innerText()).toBe(secret)
    await target.getByRole('textbox', { name: 'URL' }).fill('https://hooks.example.com/waybill')
    await page.getByRole('button', { name: 'Create notification' }).click()
    await page.waitForURL(`**${NOTIFICATIONS}`)
    await page.getByRole('link', { name: 'To a neighbour', exact: true }).waitFor()
    expect(await page.content()).not.toContain(secret)
    expect(complaints).toEqual([expect.stringContaining('400')])
  })
})

describe('a notification about a flow', () => {
  it('is created, listed, edited, tested and deleted', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'mara')
    await show(page, NOTIFICATIONS)
    await page.getByRole('heading', { name: 'No notifications about flows yet' }).waitFor()
    await page.getByText(/^curl -X PUT .*flows_notifications/).waitFor()
    await page.getByRole('link', { name: 'New notification' }).click()
    await page.getByRole('radio', { name: 'Flows' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Payments moves')
    await page.getByRole('combobox', { name: 'Email addresses' }).fill(RELEASES)
    await page.getByRole('checkbox', { name: 'A trail begins' }).click()
    await page.getByRole('button', { name: 'Create notification' }).click()
    await page.getByText('This field is required', { exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Flows' }).fill('payments')
    await page.getByRole('option', { name: 'payments-api', exact: true }).click()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Create notification' }).click()
    await page.waitForURL(`**${NOTIFICATIONS}`)
    await page.getByText('In payments-api: an approval is given; a trail begins').waitFor()

    await page.getByRole('link', { name: 'Edit Payments moves' }).click()
    await page.waitForURL(/notifications\/\d+\?about=flows$/)
    expect(await page.getByRole('radio').count()).toBe(0)
    await page.getByRole('textbox', { name: 'Name' }).fill('Payments is approved')
    await page.getByRole('checkbox', { name: 'A trail begins' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(`**${NOTIFICATIONS}`)
    await page.getByText('In payments-api: an approval is given', { exact: true }).waitFor()

    const sending = () => page.getByRole('button', { name: 'Send a test: Payments is approved' }).click()
    await waitForMail(site.service, RELEASES, /Subject: .*test/i, sending)
    await page.getByText('Sending a test to 1 target').waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])

    await page.getByRole('button', { name: 'Delete Payments is approved' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No notifications about flows yet' }).waitFor()
    expect(complaints).toEqual([expect.stringContaining('400')])
  })
})

describe('a failed delivery', () => {
  it('shows why it failed, and members can resend it', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, `${NOTIFICATIONS}/deliveries?number=3`)
    await page.getByText('The host name could not be resolved').first().waitFor()
    await page
      .getByRole('link', { name: /all-live of harbour-bank is NON-COMPLIANT/ })
      .first()
      .click()
    await page.waitForURL(/delivery=/)
    const drawer = page.getByRole('dialog')
    const attempts = drawer.getByText(/^No response after \d+ ms$/)
    await attempts.first().waitFor()
    const before = await attempts.count()
    await drawer.getByRole('button', { name: 'Resend' }).click()
    await page.getByText('Resending the message').waitFor()
    await expect.poll(() => attempts.count()).toBeGreaterThan(before)
    expect(await findAccessibilityProblems(page)).toEqual([])
    await drawer.getByRole('button', { name: 'Close' }).click()
    await drawer.waitFor({ state: 'detached' })

    const ines = await site.sameWindow('phone', 'ines')
    await show(ines.page, page.url().replace(site.service.url, ''))
    await expect.poll(() => ines.page.getByRole('button', { name: /Send|Resend/ }).count()).toBe(0)
    expect([...complaints, ...ines.complaints]).toEqual([])
  })
})
