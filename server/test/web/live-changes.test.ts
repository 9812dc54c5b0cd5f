// Pages that stay open while servers are replaced, or while what they show gets another name or is archived.
import { startBalancer } from '@waybill/testing/balancer'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEnvironment, report } from '../environments.ts'
import type { TestApp } from '../harness.ts'
import { until } from '../patience.ts'
import { addCleanUp } from '../service.ts'
import { findAccessibilityProblems, settled } from './browser.ts'
import { isSamePage, listenAt, openNewWindow, openOnce, openWindow, startWebApp } from './open-app.ts'

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startWebApp()
  port = await listenAt(app, 0)
})
afterAll(() => app.stop())

const addFlow = async (name: string) =>
  expect((await app.admin.put('/flows/acme', { name, description: '' })).status).toBe(201)
const findFlow = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

interface Served {
  app: TestApp
  port: number
}

async function serve(at: number): Promise<Served> {
  const beside = await startWebApp({ beside: app })
  return { app: beside, port: await listenAt(beside, at) }
}

describe('a rolling restart', () => {
  it('interrupts a page only briefly: it recovers by itself and misses no change', async () => {
    const servers = [await serve(0), await serve(0)]
    const balancer = await startBalancer({ ports: servers.map(served => served.port) })
    addCleanUp(balancer.stop)
    await until(() => balancer.ready.size === 2)
    const { page } = await openNewWindow(app, balancer.port, 'desk')
    await openOnce(page, '/acme/flows')
    for (const [i, served] of servers.entries()) {
      await served.app.stop()
      await addFlow(`during-restart-${i}`)
      await findFlow(page, `during-restart-${i}`).waitFor()
      servers[i] = await serve(served.port)
      await until(() => balancer.ready.size === 2)
      await addFlow(`after-restart-${i}`)
      await findFlow(page, `after-restart-${i}`).waitFor()
    }
    await page.getByText("Can't reach the server").waitFor({ state: 'detached' })
    expect(await isSamePage(page)).toBe(true)
    for (const served of servers) await served.app.stop()
  })
})

async function openEnvironment(name: string): Promise<Page> {
  await makeEnvironment(app, name)
  await report(app, name, 'a1')
  const { page } = await openWindow(app, port, 'desk')
  await openOnce(page, `/acme/environments/${name}`)
  return page
}

describe('an environment', () => {
  it('that is renamed keeps its open page, which shows the new name and keeps following', async () => {
    const page = await openEnvironment('named-before')
    const { status } = await app.admin.put('/environments/acme/named-before/rename', {
      new_name: 'named-after',
    })
    expect(status).toBe(200)
    await page.getByRole('heading', { level: 1, name: 'named-after' }).waitFor()
    await report(app, 'named-after', 'b2')
    await page.getByRole('main').getByText('b2').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/acme/environments/named-after')
    expect(await isSamePage(page)).toBe(true)
    expect(await findAccessibilityProblems(page)).toEqual([])
  })

  it('is marked on its open page while it is archived', async () => {
    const page = await openEnvironment('soon-archived')
    const archived = page.getByRole('group', { name: 'This environment is archived' })
    expect(await archived.count()).toBe(0)
    expect((await app.admin.put('/environments/acme/soon-archived/archive', undefined)).status).toBe(200)
    await archived.waitFor()
    await settled(page)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect((await app.admin.put('/environments/acme/soon-archived/unarchive', undefined)).status).toBe(200)
    await archived.waitFor({ state: 'detached' })
    expect(await isSamePage(page)).toBe(true)
  })
})

describe('a flow that is renamed', () => {
  it.each([
    ['flow', '', 'later-trail'],
    ['trail', '/trails/first', 'later-evidence'],
  ])('keeps its open page of a %s, which follows on', async (kind, below, shown) => {
    const old_name = `flow-of-${kind}`
    const new_name = `${old_name}-now`
    await addFlow(old_name)
    await app.member.put(`/trails/acme/${old_name}`, { name: 'first', description: '' })
    const { page } = await openWindow(app, port, 'desk')
    await openOnce(page, `/acme/flows/${old_name}${below}?tab=trails`)
    expect((await app.admin.put(`/flows/acme/${old_name}/rename`, { new_name })).status).toBe(200)
    await page.waitForURL(`**/acme/flows/${new_name}${below}*`)
    if (kind === 'flow')
      await app.member.put(`/trails/acme/${new_name}`, { name: 'later-trail', description: '' })
    else
      await app.member.post(`/attestations/acme/${new_name}/trail/first/generic`, {
        attestation_name: 'later-evidence',
        is_compliant: true,
      })
    await page.getByRole('main').getByText(shown).first().waitFor()
    expect(await isSamePage(page)).toBe(true)
  })
})
