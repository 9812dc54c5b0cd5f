// Only people who can create organizations see the button that creates one.
import { beforeAll, describe, expect, it } from 'vitest'
import { settled, show } from './browser.ts'
import { type Company, ORG, openCompany } from './company.ts'

let company: Company
beforeAll(async () => {
  company = await openCompany({ settings: { WAYBILL_ORG_CREATION: 'admins' } })
})

describe('where only admins create organizations', () => {
  it.each([
    ['an admin has the button', 'mara', 1],
    ['a member does not', 'teo', 0],
  ])('%s', async (_, person, buttons) => {
    const { page, complaints } = await company.newWindow('desk', person)
    await show(page, `/${ORG}/profile`)
    await page.getByLabel('Default organization').first().waitFor()
    await settled(page)
    expect(await page.getByRole('button', { name: 'New shared organization' }).count()).toBe(buttons)
    expect(complaints).toEqual([])
  })
})
