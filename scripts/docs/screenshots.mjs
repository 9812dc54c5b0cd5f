// `npm run docs -- screenshots <URL> <sign-in link> [folder]`: takes the screenshots for the documents, from a
// running service with the demo; with a folder, screenshots of every page at two sizes, to look at. The first start
// prints the link (`npm start -- --demo`); it works once.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { root } from '../run/prepare.mjs'
import { findChromium } from '../test/chromium.mjs'

const ORG = 'harbour-bank'
/** In docs/screenshots. */
const SHOWN = ['overview', 'environment', 'trail', 'artifact'].map(name => `${name}-desk`)
const VIEWPORTS = { desk: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } }

/** Pages that need only their path. */
const SIMPLE_PAGES = [
  ['environments', '/environments'],
  ['snapshot', '/environments/production/snapshots/130'],
  ['environment-log', '/environments/production?tab=log'],
  ['environment-allow-list', '/environments/production?tab=allow-list'],
  ['environment-policies', '/environments/production?tab=policies'],
  ['environment-settings', '/environments/production?tab=settings'],
  ['flows', '/flows'],
  ['flow', '/flows/payments-api'],
  ['flow-template', '/flows/payments-api?tab=template'],
  ['flow-settings', '/flows/payments-api?tab=settings'],
  ['attestations', '/attestations'],
  ['attestation-types', '/attestation-types'],
  ['attestation-type', '/attestation-types/load-test'],
  ['policies', '/policies'],
  ['policy-versions', '/policies/live-rules'],
  ['policy-new', '/new-policy'],
  ['controls', '/controls'],
  ['control', '/controls/REL-01'],
  ['control-coverage', '/controls/REL-01?tab=coverage'],
  ['control-versions', '/controls/REL-01?tab=versions'],
  ['control-new', '/new-control'],
  ['control-decide', '/controls/REL-01/decide'],
  ['flow-new', '/new-flow'],
  ['environment-new', '/new-environment'],
  ['attestation-type-new', '/new-attestation-type'],
  ['controls-import', '/import-controls'],
  ['coverage', '/control-coverage'],
  ['running', '/running'],
  ['repos', '/repos'],
  ['repo-builds', '/repos/harbour-bank/payments-api'],
  ['repo-releases', '/repos/harbour-bank/payments-api?view=release'],
  ['repo-runs', '/repos/harbour-bank/payments-api?view=run'],
  ['search-results', '/search?q=payments'],
  ['members', '/settings/members'],
  ['audit-log', '/settings/members/audit-log'],
  ['audit-events', '/settings/audit-events'],
  ['notifications', '/settings/notifications'],
  ['notification-new', '/settings/notifications/new'],
  ['deliveries', '/settings/notifications/deliveries'],
  ['service-accounts', '/settings/service-accounts'],
  ['keys', '/settings/service-accounts/pipeline'],
  ['trust-rules', '/settings/trust-rules'],
  ['trust-rule-new', '/settings/new-trust-rule'],
  ['scim-tokens', '/settings/scim-tokens'],
  ['settings', '/settings/organization'],
  ['waiting-decisions', '/waiting-decisions'],
  ['profile', '/profile'],
]

const [address, link, folder] = process.argv.slice(2)
const target = folder ?? join(root, 'docs', 'screenshots')
if (address === undefined || link === undefined) {
  console.error('Usage: npm run docs -- screenshots <URL of a service with the demo> <sign-in link> [folder]')
  process.exit(1)
}

const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] })
try {
  mkdirSync(target, { recursive: true })
  const storageState = await signIn()
  for (const [viewport_name, viewport] of Object.entries(VIEWPORTS)) {
    const open = state =>
      browser.newContext({ baseURL: address, viewport, reducedMotion: 'reduce', ...state })
    const visitor = await open({})
    await takeScreenshot(await visitor.newPage(), 'sign-in', viewport_name, '/sign-in')
    await visitor.close()
    const member = await open({ storageState })
    const page = await member.newPage()
    for (const [name, path, prepareView] of await listPages(page))
      await takeScreenshot(page, name, viewport_name, path, prepareView)
    await member.close()
  }
} finally {
  await browser.close()
}

async function signIn() {
  const context = await browser.newContext({ baseURL: address })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in to Waybill' }).click()
  await page.waitForURL(url => !url.pathname.startsWith('/auth'))
  const state = await context.storageState()
  await context.close()
  return state
}

/** Name, path and optional preparation of each page. Release 2.9.0 made production non-compliant. */
async function listPages(page) {
  const at = path => `/${ORG}${path}`
  const trail = at('/flows/payments-api/trails/release-2.9.0')
  const [{ fingerprint }] = await fetchJson(page, `artifacts/${ORG}?flow_name=payments-api&page=1&per_page=1`)
  const { compliance_status } = await fetchJson(page, `trails/${ORG}/payments-api/release-2.9.0`)
  const slots = compliance_status.artifacts_statuses.image.attestations_statuses
  const { attestation_id } = slots.find(({ attestation_type }) => attestation_type === 'pull_request')
  return [
    ['overview', at('')],
    ['environment', at('/environments/production')],
    ['timeline', at('/environments/production?tab=timeline')],
    ['compare', at('/environments/production?tab=compare')],
    ['trail', trail],
    ['drawer', `${trail}?attestation_id=${attestation_id}`],
    ['artifact', at(`/flows/payments-api/artifacts/${fingerprint}`)],
    ['policy', at('/policies/live-rules/edit'), tryPolicy],
    ['search', at(''), openSearch],
    ...SIMPLE_PAGES.map(([name, path]) => [name, at(path)]),
  ]
}

async function fetchJson(page, path) {
  const response = await page.request.get(`/api/v2/${path}`)
  if (!response.ok()) throw new Error(`${path} returned ${response.status()}`)
  return response.json()
}

async function tryPolicy(page) {
  await page.getByRole('button', { name: /^Try/ }).first().click()
  await waitUntilIdle(page)
}

async function openSearch(page) {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Commit, fingerprint or name' }).fill('payments')
  await page.getByRole('listbox', { name: 'Results' }).getByRole('option').first().waitFor()
  await waitUntilIdle(page)
}

async function takeScreenshot(page, name, viewport_name, path, prepareView) {
  const title = `${name}-${viewport_name}`
  if (folder === undefined && !SHOWN.includes(title)) return
  await page.goto(path)
  await page.locator('h1').first().waitFor()
  await waitUntilIdle(page)
  await prepareView?.(page)
  const screenshot = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  writeFileSync(join(target, `${title}.png`), screenshot)
  console.log(`${title}.png ${Math.round(screenshot.length / 1024)} KB`)
}

/** Waits until nothing is loading and animations have ended. */
async function waitUntilIdle(page) {
  await page.waitForLoadState('networkidle')
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
  await page.waitForTimeout(400)
}
