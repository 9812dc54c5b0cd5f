// Signing in and out in a real browser.
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, openSharedSite, type Site, settled, signInByMail, visit } from './browser.ts'
import { ORG, openCompany } from './company.ts'

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

describe('signing in', () => {
  it('works with the link that the first start prints', async () => {
    const { page, complaints } = await site.newWindow('desk')
    await page.goto(site.service.sign_in_path)
    await page.getByRole('button', { name: 'Sign in to Waybill' }).click()
    await page.getByRole('heading', { name: 'Organizations' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: DEMO_ORG }).click()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('works with a link in an email, and opens the requested page', async () => {
    const { page, complaints } = await site.newWindow('phone')
    await signInByMail(page, site.service, 'priya@harbour-bank.example')
    await settled(page)
    expect(new URL(page.url()).pathname).toBe(`/${DEMO_ORG}`)
    expect(complaints).toEqual([])
  })

  it('is required by every page, which opens afterwards', async () => {
    const { page } = await site.newWindow('phone')
    await page.goto(`/${DEMO_ORG}/environments?name=prod`)
    await page.waitForURL(/\/sign-in\?/)
    expect(new URL(page.url()).searchParams.get('next')).toBe(`/${DEMO_ORG}/environments?name=prod`)
  })

  it('is required again when the session has ended elsewhere, and leads back', async () => {
    const { page, context } = await site.firstWindow('desk', 'teo')
    await visit(page, `/${DEMO_ORG}/flows`)
    await context.clearCookies()
    // Pointing at the link first would load its page, which would already lead to the sign-in, and back to this page.
    await page.getByRole('link', { name: 'Policies' }).dispatchEvent('click')
    await page.waitForURL('**/sign-in?**')
    expect(new URL(page.url()).searchParams.get('next')).toBe(`/${DEMO_ORG}/policies`)
  })
})

describe('an organization that requires single sign-on', () => {
  it('tells people who signed in another way, and leads to the provider and back', async () => {
    const { app, newWindow } = await openCompany()
    const { page } = await newWindow('desk', 'priya')
    const setSsoRequired = (sso_required: boolean) =>
      app.sql('update orgs set settings = settings || $2 where name = $1', [ORG, { sso_required }])
    await setSsoRequired(true)
    await page.goto(`/${ORG}/flows`)
    await page.getByText('This organization requires single sign-on.').waitFor()
    await page.getByRole('button', { name: 'Sign in with single sign-on' }).click()
    await page.waitForURL(/\/sign-in\?sso=1/)
    expect(new URL(page.url()).searchParams.get('next')).toBe(`/${ORG}/flows`)
    await page.getByText('Single sign-on is required.').waitFor()
  })
})

describe('signing out', () => {
  it('ends the session, for every page', async () => {
    const { page } = await site.newWindow('desk')
    await signInByMail(page, site.service, 'jonas@harbour-bank.example')
    await page.getByRole('button', { name: /jonas/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL(url => !url.pathname.startsWith(`/${DEMO_ORG}`))
    await page.goto(`/${DEMO_ORG}`)
    await page.waitForURL(/\/sign-in\?/)
  })
})
