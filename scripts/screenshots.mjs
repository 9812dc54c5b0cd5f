// `npm run screenshots -- <address> <sign-in link>`: the pictures in docs/screenshots, taken of a running service with the
// demo in it. The link is the one that its first start prints (`npm start -- --demo`); it works once.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { findChromium } from './chromium.mjs'
import { root } from './prepare.mjs'
import { shrinkPng } from './small-png.mjs'

const ORG = 'harbour-bank'
const FOLDER = join(root, 'docs', 'screenshots')
const LARGEST_BYTES = 120 * 1024
const LOOKS = { desk: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } }

/** Pages that need nothing but their address. */
const PLAIN = [
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
  ['controls-import', '/import-controls'],
  ['coverage', '/control-coverage'],
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

const [address, link] = process.argv.slice(2)
if (address === undefined || link === undefined) {
  console.error('npm run screenshots -- <address of a service with the demo> <sign-in link>')
  process.exit(1)
}

const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] })
try {
  mkdirSync(FOLDER, { recursive: true })
  const storageState = await signIn()
  for (const [look, viewport] of Object.entries(LOOKS)) {
    const open = state =>
      browser.newContext({ baseURL: address, viewport, reducedMotion: 'reduce', ...state })
    const stranger = await open({})
    await take(await stranger.newPage(), 'sign-in', look, '/sign-in')
    await stranger.close()
    const member = await open({ storageState })
    const page = await member.newPage()
    for (const [name, path, prepared] of await pages(page)) await take(page, name, look, path, prepared)
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

/** Name, address and what is done before the picture. Release 2.9.0 is the one that made production red. */
async function pages(page) {
  const at = path => `/${ORG}${path}`
  const trail = at('/flows/payments-api/trails/release-2.9.0')
  const [{ fingerprint }] = await ask(page, `artifacts/${ORG}?flow_name=payments-api&page=1&per_page=1`)
  const { compliance_status } = await ask(page, `trails/${ORG}/payments-api/release-2.9.0`)
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
    ['search', at(''), search],
    ...PLAIN.map(([name, path]) => [name, at(path)]),
  ]
}

async function ask(page, path) {
  const answer = await page.request.get(`/api/v2/${path}`)
  if (!answer.ok()) throw new Error(`${path} answers ${answer.status()}`)
  return answer.json()
}

async function tryPolicy(page) {
  await page.getByRole('button', { name: /^Try/ }).first().click()
  await idle(page)
}

async function search(page) {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Commit, fingerprint or name' }).fill('payments')
  await page.getByRole('listbox', { name: 'Found' }).getByRole('option').first().waitFor()
  await idle(page)
}

async function take(page, name, look, path, prepared) {
  await page.goto(path)
  await page.locator('h1').first().waitFor()
  await idle(page)
  await prepared?.(page)
  const file = join(FOLDER, `${name}-${look}.png`)
  const picture = shrinkPng(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
  if (picture.length > LARGEST_BYTES) throw new Error(`${file} would have ${picture.length} bytes`)
  writeFileSync(file, picture)
  console.log(`${name}-${look}.png ${Math.round(picture.length / 1024)} KB`)
}

/** Nothing loads any more, and what comes in slowly is there. */
async function idle(page) {
  await page.waitForLoadState('networkidle')
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
  await page.waitForTimeout(400)
}
