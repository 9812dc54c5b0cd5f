// Archived things are hidden but never lost: lists count them, every link still works, and a button restores them.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, openSite, type Site, show } from './browser.ts'

const FLOW = 'statement-mailer'
const RETIRED = 'old-data-centre'
const TABS = ['timeline', 'log', 'compare', 'allow-list', 'policies']

let site: Site
beforeAll(async () => {
  site = await openSite()
})

const api = (method: string, path: string, body?: unknown) =>
  site.service.call(method, `/api/v2/${path}`, { key: site.service.key, body })
const getNotice = (page: Page, what: string) => page.getByRole('group', { name: `This ${what} is archived` })

describe('a flow', () => {
  it('is archived, still reachable from running artifacts, and unarchived', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, `/${DEMO_ORG}/flows/${FLOW}?tab=settings`)
    await page.getByRole('button', { name: `Archive ${FLOW}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill(FLOW)
    await dialog.getByRole('button', { name: 'Archive', exact: true }).click()
    await page.waitForURL(`**/${DEMO_ORG}/flows`)
    await page.getByRole('link', { name: '2 archived flows' }).click()
    await page.getByRole('heading', { name: 'Archived flows' }).waitFor()
    await page.getByRole('row', { name: new RegExp(FLOW) }).waitFor()

    await show(page, `/${DEMO_ORG}/environments/edge`)
    await page.getByRole('article').filter({ hasText: FLOW }).getByRole('heading').getByRole('link').click()
    await page.waitForURL(`**/flows/${FLOW}/artifacts/*`)
    await getNotice(page, 'flow').waitFor()
    expect(await downloadStatus(page, 'Download audit package')).toBe(200)
    await page
      .getByRole('region', { name: 'Lineage' })
      .getByRole('link', { name: /^release-\d/ })
      .click()
    await page.waitForURL(`**/flows/${FLOW}/trails/*`)
    await getNotice(page, 'flow').waitFor()
    expect(await downloadStatus(page, 'Download audit package')).toBe(200)
    await page.getByRole('link', { name: 'unit-tests', exact: true }).first().click()
    await page.getByRole('dialog').getByRole('heading', { name: 'unit-tests' }).waitFor()
    await page.keyboard.press('Escape')

    await show(page, `/${DEMO_ORG}/flows/${FLOW}?tab=settings`)
    await page
      .getByRole('row', { name: /release-/ })
      .first()
      .waitFor()
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Trails', 'Trends', 'Template'])
    await page.getByRole('tab', { name: 'Trends' }).click()
    await page.getByRole('heading', { name: 'Deployments' }).waitFor()
    await page.getByRole('tab', { name: 'Template' }).click()
    expect(await page.getByRole('button', { name: 'Save template' }).count()).toBe(0)
    await getNotice(page, 'flow').getByRole('button', { name: 'Unarchive' }).click()
    await page.getByRole('button', { name: 'Save template' }).waitFor()
    expect(await getNotice(page, 'flow').count()).toBe(0)
    await show(page, `/${DEMO_ORG}/flows`)
    await page.getByRole('link', { name: '1 archived flow' }).waitFor()
    await page.getByRole('row', { name: new RegExp(FLOW) }).waitFor()
    expect(complaints).toEqual([])
  })

  it('that is archived is found by its name, and marked', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'ines')
    await show(page, `/${DEMO_ORG}/search?q=card-portal`)
    const hit = page.getByRole('region', { name: 'Flows' }).getByRole('row', { name: /card-portal/ })
    expect(await hit.innerText()).toContain('Archived')
    await hit.getByRole('link').click()
    await getNotice(page, 'flow').waitFor()
    expect(await page.getByRole('button', { name: 'Unarchive' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('an environment', () => {
  it('that is archived has a list of its own, and all of it can be read, also on a phone', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'teo')
    await show(page, `/${DEMO_ORG}/environments`)
    await page.getByRole('link', { name: '1 archived environment' }).click()
    await page.getByRole('heading', { name: 'Archived environments' }).waitFor()
    await page.getByRole('link', { name: RETIRED }).click()
    await getNotice(page, 'environment').waitFor()
    expect(await page.getByRole('tab', { name: 'Settings' }).count()).toBe(0)
    for (const tab of TABS) {
      await show(page, `/${DEMO_ORG}/environments/${RETIRED}?tab=${tab}`)
      expect(await page.getByRole('alert').count(), tab).toBe(0)
      expect(await page.getByRole('button', { name: /^(Allow|Attach|Detach|Remove)/ }).count(), tab).toBe(0)
    }
    await show(page, `/${DEMO_ORG}/environments?archived=true`)
    await page.getByRole('link', { name: 'Back to active environments' }).click()
    await page.getByRole('row', { name: /production/ }).waitFor()
    expect(complaints).toEqual([])
  })

  it('is unarchived with everything it had', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await show(page, `/${DEMO_ORG}/environments/${RETIRED}`)
    await getNotice(page, 'environment').getByRole('button', { name: 'Unarchive' }).click()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByText('Unarchiving restores it as it was').waitFor()
    await show(page, `/${DEMO_ORG}/environments?archived=true`)
    await page.getByRole('heading', { name: 'No archived environments' }).waitFor()
    expect((await api('PUT', `environments/${DEMO_ORG}/${RETIRED}/archive`)).status).toBe(200)
    expect(complaints).toEqual([])
  })
})

describe('a policy and a type', () => {
  it('are unarchived only by people with the right role', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'mara')
    const policy_yaml = '_schema: https://waybill.example/v1\n'
    expect((await api('PUT', `policies/${DEMO_ORG}/unused`, { policy_yaml })).status).toBe(201)
    await show(page, `/${DEMO_ORG}/policies/unused`)
    await page.getByRole('button', { name: 'Archive unused' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Archive', exact: true }).click()
    await getNotice(page, 'policy').waitFor()
    expect(await page.getByRole('link', { name: 'Edit and try' }).count()).toBe(0)
    const member = await site.sameWindow('desk', 'teo')
    await show(member.page, `/${DEMO_ORG}/policies/unused`)
    await getNotice(member.page, 'policy').waitFor()
    expect(await member.page.getByRole('button', { name: 'Unarchive' }).count()).toBe(0)
    await show(member.page, `/${DEMO_ORG}/policies/unused/edit`)
    await member.page.getByRole('heading', { name: "You can't edit an archived policy" }).waitFor()
    await show(page, `/${DEMO_ORG}/policies`)
    await page.getByRole('link', { name: '1 archived policy' }).click()
    await page.getByRole('link', { name: 'unused' }).click()
    await getNotice(page, 'policy').getByRole('button', { name: 'Unarchive' }).click()
    await page.getByRole('link', { name: 'Edit and try' }).waitFor()
    await page.getByRole('cell', { name: /^Unarchived/ }).waitFor()

    expect((await api('PUT', `custom-attestation-types/${DEMO_ORG}/load-test/archive`)).status).toBe(200)
    await show(page, `/${DEMO_ORG}/attestation-types`)
    await page.getByRole('heading', { name: 'All custom types are archived' }).waitFor()
    await page.getByRole('link', { name: '1 archived type' }).click()
    await page.getByRole('link', { name: 'custom:load-test' }).click()
    await getNotice(page, 'type').getByRole('button', { name: 'Unarchive' }).click()
    await page.getByRole('button', { name: 'Archive load-test' }).waitFor()
    expect([...complaints, ...member.complaints]).toEqual([])
  })
})

async function downloadStatus(page: Page, name: string): Promise<number> {
  const href = await page.getByRole('link', { name }).getAttribute('href')
  return (await page.request.get(href ?? '')).status()
}
