// Changing the controls of an organization: one by one, by importing a catalogue, and switching them off.
import { beforeAll, describe, expect, it } from 'vitest'
import { show } from './browser.ts'
import { type Company, must, ORG, openCompany } from './company.ts'

const CATALOGUE = `identifier,name,description
SDLC-02,Every build is tested twice,By two machines.
SDLC-09,Every release can be taken back,
`

let company: Company
beforeAll(async () => {
  company = await openCompany()
  const tested = { identifier: 'SDLC-02', name: 'Every build is tested' }
  must(await company.app.admin.post(`/controls/${ORG}`, tested))
})

describe('an admin', () => {
  it('creates, edits, archives and unarchives a control', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'mara')
    await show(page, `/${ORG}/controls`)
    await page.getByRole('link', { name: 'New control' }).click()
    await page.getByLabel('Identifier').fill('OPS-07')
    await page.getByLabel('Name').fill('Backups are restored')
    await page.getByLabel('Description').fill('Once a month.')
    await page.getByRole('button', { name: 'Add link' }).click()
    await page.getByLabel('Label').fill('Runbook')
    await page.getByRole('textbox', { name: 'URL' }).fill('https://wiki.example/restore')
    await page.getByRole('button', { name: 'Create' }).dblclick()
    await page.getByRole('heading', { level: 1, name: 'Backups are restored' }).waitFor()
    await page.getByRole('link', { name: 'Runbook' }).waitFor()

    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Description').fill('')
    await page.getByRole('button', { name: 'Remove link Runbook' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('version 2').waitFor()
    await expect.poll(() => page.getByText('Once a month.').count()).toBe(0)
    await expect.poll(() => page.getByRole('link', { name: 'Runbook' }).count()).toBe(0)

    await page.getByRole('button', { name: 'Archive OPS-07' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Archive', exact: true }).click()
    await page.getByText('This control is archived').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Unarchive' }).click()
    await page.getByRole('button', { name: 'Archive OPS-07' }).waitFor()
    await page.getByRole('tab', { name: 'Versions' }).click()
    await page.getByRole('row', { name: /^4 Unarchived/ }).waitFor()
    await page.getByRole('row', { name: /^1 Created Backups are restored Once a month/ }).waitFor()
    expect(complaints).toEqual([])
  })

  it('imports a catalogue after a preview of the changes', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'mara')
    await show(page, `/${ORG}/controls`)
    await page.getByRole('link', { name: 'Import' }).click()
    await page.locator('input[type="file"]').setInputFiles({
      name: 'controls.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(CATALOGUE),
    })
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByRole('row', { name: 'SDLC-02 updated' }).waitFor()
    await page.getByRole('row', { name: 'SDLC-09 created' }).waitFor()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Catalogue imported').waitFor()
    await page.getByRole('link', { name: 'View controls' }).click()
    await page.getByRole('row', { name: /SDLC-09.*Every release can be taken back/ }).waitFor()
    await page.getByRole('row', { name: /SDLC-02.*Every build is tested twice/ }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('an organization without controls', () => {
  it('explains itself, and links an admin to the setting', async () => {
    const { page, complaints } = await company.newWindow('desk', 'mara')
    must(await company.app.admin.patch(`/organizations/${ORG}`, { features: { controls: false } }))
    await show(page, `/${ORG}/controls/SDLC-02`)
    await page.getByText('Controls are switched off').waitFor()
    await page.getByRole('link', { name: 'organization settings' }).click()
    await page.waitForURL('**/settings/organization')
    expect(complaints).toEqual([])
  })
})
