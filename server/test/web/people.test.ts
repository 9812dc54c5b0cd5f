// Members: an invitation by email, a role change, and the last admin, who cannot leave.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { tokenFor } from '../people.ts'
import { findAccessibilityProblems, measureOverflow, show } from './browser.ts'
import { type Company, ORG, openCompany } from './company.ts'

const MEMBERS = `/${ORG}/settings/members`

let company: Company
beforeAll(async () => {
  company = await openCompany()
})

/** Choosing a role changes nothing until it is saved. */
async function changeRole(page: Page, user: string, role: string): Promise<void> {
  await page.getByLabel(`Role of ${user}`, { exact: true }).selectOption(role)
  await page.getByRole('button', { name: `Change role of ${user}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click()
}

describe('a new person', () => {
  it('is invited, is listed as pending, and becomes a member through the link in the email', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'mara')
    await show(page, MEMBERS)
    await page.getByLabel('Email address').fill('lena@harbour-bank.example')
    await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('snapshotter')
    await page.getByRole('button', { name: 'Invite' }).dblclick()
    const waiting = page.getByRole('row', { name: /lena@harbour-bank\.example snapshotter pending mara/ })
    await waiting.getByText('in 7 days').waitFor()

    const lena = await company.newWindow('phone')
    const token = await tokenFor(company.app, 'lena@harbour-bank.example')
    await lena.page.goto(`/auth/invitation?token=${token}`)
    await lena.page.getByRole('button', { name: 'Accept and sign in' }).click()
    await show(lena.page, MEMBERS)
    await lena.page.getByText('Only admins can invite people and change roles.').waitFor()
    await expect.poll(() => lena.page.getByRole('button', { name: /Remove|Invite/ }).count()).toBe(0)
    expect(await measureOverflow(lena.page)).toBeLessThanOrEqual(0)

    await show(page, MEMBERS)
    expect(await page.getByLabel('Role of lena').inputValue()).toBe('snapshotter')
    await expect.poll(() => waiting.count()).toBe(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect([...complaints, ...lena.complaints]).toEqual([])
  })

  it('has a personal organization, which says that it has no members and no service accounts', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'lena')
    await show(page, '/lena/settings/members')
    await page.getByText('lena is a personal organization and has no other members').waitFor()
    await show(page, '/lena/settings/service-accounts')
    await page.getByRole('heading', { name: 'A personal organization has no service accounts' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'your profile' }).click()
    await page.getByRole('button', { name: 'New key' }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('a member', () => {
  it('gets another role, and the membership log shows the change', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'mara')
    await show(page, MEMBERS)
    await changeRole(page, 'teo', 'reader')
    await page.getByText('Changed the role of teo to reader').waitFor()
    await page.getByRole('link', { name: 'Membership log' }).click()
    await page.getByRole('combobox', { name: 'Change' }).selectOption('changed')
    await page.getByLabel('User or actor contains').fill('TEO')
    await page.waitForURL(/event_type=changed.*search=TEO|search=TEO.*event_type=changed/)
    await page.getByRole('row', { name: /teo changed member → reader mara app/ }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    const file = await page.getByRole('link', { name: 'Download as CSV' }).getAttribute('href')
    const rows = (await (await page.request.get(file ?? '')).text()).trim().split('\n')
    expect(rows).toHaveLength(2)
    expect(rows[1]).toMatch(/teo,reader,member,mara,app$/)
    expect(complaints).toEqual([])
  })

  it('who is the last admin cannot leave or change role, and sees why', async () => {
    const { page, complaints } = await company.sameWindow('phone', 'mara')
    await show(page, MEMBERS)
    await changeRole(page, 'ada', 'member')
    await page.getByText('Changed the role of ada to member').waitFor()
    const reason = /last admin/
    const dialog = page.getByRole('dialog')
    const own = page.getByLabel('Role of mara', { exact: true })
    await own.press('ArrowUp')
    expect(await own.inputValue()).toBe('member')
    await changeRole(page, 'mara', 'member')
    await dialog.getByText(reason).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await own.selectOption('admin')
    await expect.poll(() => page.getByRole('button', { name: 'Change role of mara' }).count()).toBe(0)
    await page.getByRole('button', { name: `Leave ${ORG}` }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await dialog.getByText(reason).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await changeRole(page, 'ada', 'admin')
    await page.getByText('Changed the role of ada to admin').waitFor()
    // The two rejected requests, and nothing else.
    expect(complaints).toEqual([expect.stringContaining('409'), expect.stringContaining('409')])
  })
})
