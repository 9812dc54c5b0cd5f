// Creating on pages: flows, environments, policies, controls, attestation types, evidence, decisions, approvals and
// overrides. Each page shows the command that does the same.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../harness.ts'
import { makeBuild, makeFingerprint, makeFlow } from '../reports.ts'
import { findAccessibilityProblems, goTo, measureOverflow, settled, show } from './browser.ts'
import { listenAt, openWindow, passTimeOfMachine, startWebApp } from './open-app.ts'
import { makeShell, type Shell } from './shell.ts'

const ORG = 'acme'
const FLOW = 'statement-mailer'
const TRAIL = `/${ORG}/flows/${FLOW}/trails/release-1`

let app: TestApp
let port: number
let shell: Shell
beforeAll(async () => {
  app = await startWebApp()
  passTimeOfMachine(app)
  port = await listenAt(app, 0)
  await makeFlow(app, FLOW)
  await app.member.put(`/trails/${ORG}/${FLOW}`, { name: 'release-1' })
  const build = makeBuild(makeFingerprint('a'), {
    trail_name: 'release-1',
    template_reference_name: 'mailer',
  })
  await app.member.post(`/artifacts/${ORG}/${FLOW}`, build)
  await app.admin.post(`/service-accounts/${ORG}`, { name: 'pasted', privilege: 'member' })
  const key = { description: 'for pasted commands', expires_at: 0 }
  shell = await makeShell((await app.admin.post(`/service-accounts/${ORG}/pasted/api-keys`, key)).body.key)
})
afterAll(() => app.stop())

const commands = (page: Page) => page.getByRole('region', { name: 'The same as a command' })

/** The command as it stands on the page, as its two forms. */
async function readCommands(page: Page): Promise<{ waybill: string; curl: string }> {
  const waybill = await commands(page).locator('pre').innerText()
  await commands(page).getByRole('tab', { name: 'curl' }).click()
  const curl = await commands(page).locator('pre').innerText()
  return { waybill, curl }
}

/** The browser logs every error response. */
const readStatus = (complaint: string) => /status of (\d+)/.exec(complaint)?.[1]

async function expectNoProblems(page: Page): Promise<void> {
  expect(await findAccessibilityProblems(page)).toEqual([])
  expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
}

describe('a flow', () => {
  it('is created with its template, whose errors name lines', async () => {
    const { page, complaints } = await openWindow(app, port, 'desk', 'member')
    await show(page, `/${ORG}/flows`)
    await page.getByRole('link', { name: 'New flow' }).click()
    await page.waitForURL('**/new-flow')
    await settled(page)
    await page.getByRole('button', { name: 'Create flow' }).click()
    await page.getByText('Enter a name', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('statement-mailer')
    await page.getByRole('button', { name: 'Create flow' }).click()
    await page.getByText('The flow statement-mailer already exists', { exact: true }).waitFor()
    // The focus is on the field with the error.
    await page.keyboard.type('-2')
    await page.getByRole('textbox', { name: 'Description' }).fill("Sends the customers' statements")
    const template = page.getByRole('textbox', { name: 'Template' })
    const before = await template.inputValue()
    await template.fill(before.replace('junit', 'junitt'))
    await page.getByRole('button', { name: 'Create flow' }).click()
    await page.getByText(/^Line 7, column 17: .*'junit'/).waitFor()
    await expectNoProblems(page)
    await template.fill(before)
    const { waybill, curl } = await readCommands(page)
    await page.getByRole('button', { name: 'Create flow' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/flows/statement-mailer-2')
    await page.getByText('Created statement-mailer-2').waitFor()
    await settled(page)
    // The commands do the same: nothing is left to change.
    await shell.write('template.yml', before)
    expect(await shell.paste(waybill)).toContain('statement-mailer-2')
    expect(JSON.parse(await shell.paste(curl))).toBe('OK')
    // The page checks whether the name is taken, and the template was invalid at first.
    expect(complaints.map(readStatus)).toEqual(['404', '400', '404'])
  })

  it('cannot be created by readers', async () => {
    const { page, complaints } = await openWindow(app, port, 'phone', 'reader')
    await show(page, `/${ORG}/new-flow`)
    await page.getByText('Only members and admins can change flows').waitFor()
    await show(page, `/${ORG}/flows`)
    expect(await page.getByRole('link', { name: 'New flow' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('an environment', () => {
  it('is created with its type and its report interval', async () => {
    const { page, complaints } = await openWindow(app, port, 'phone', 'member')
    await show(page, `/${ORG}/environments`)
    await page.getByRole('link', { name: 'New environment' }).click()
    await page.waitForURL('**/new-environment')
    await settled(page)
    await expectNoProblems(page)
    await page.getByRole('textbox', { name: 'Name' }).fill('canary')
    await page.getByRole('combobox', { name: 'Type' }).selectOption('docker')
    await page.getByRole('combobox', { name: 'Expected report interval' }).selectOption('900')
    const { waybill, curl } = await readCommands(page)
    expect(waybill).toContain('waybill create environment canary')
    await page.getByRole('button', { name: 'Create environment' }).click()
    await page.waitForURL('**/environments/canary')
    await page.getByText('Created canary').waitFor()
    expect(await shell.paste(waybill)).toContain('Environment canary was updated')
    expect(JSON.parse(await shell.paste(curl))).toBe('OK')
    expect(complaints).toEqual([expect.stringContaining('404')])
  })
})

describe('a policy', () => {
  it('is created with a comment, and the commands save the same version', async () => {
    const { page, complaints } = await openWindow(app, port, 'phone', 'member')
    await show(page, `/${ORG}/new-policy`)
    await page.getByRole('textbox', { name: 'Name' }).fill('live-rules')
    await page.getByRole('textbox', { name: 'Comment' }).fill("the auditors' wish")
    await expectNoProblems(page)
    const { waybill, curl } = await readCommands(page)
    expect(waybill).toContain('waybill create policy live-rules policy.yml')
    await page.getByRole('button', { name: 'Create policy' }).click()
    await page.waitForURL('**/policies/live-rules')
    const read = async () => (await app.member.get(`/policies/${ORG}/live-rules`)).body.versions
    const [{ policy_yaml, comment }] = await read()
    expect(comment).toBe("the auditors' wish")
    await shell.write('policy.yml', policy_yaml)
    await shell.paste(waybill)
    await shell.paste(curl)
    expect(await read()).toHaveLength(1)
    expect(complaints.map(readStatus)).toEqual(['404'])
  })
})

describe('a control', () => {
  it('is created with its links, by the page and by the commands', async () => {
    await app.admin.patch(`/organizations/${ORG}`, { features: { controls: true } })
    const admin = await makeShell(app.admin.key ?? '')
    const { page, complaints } = await openWindow(app, port, 'phone', 'admin')
    await show(page, `/${ORG}/new-control`)
    await page.getByRole('textbox', { name: 'Identifier' }).fill('REL-1')
    await page.getByRole('textbox', { name: 'Name' }).fill("Two people's eyes")
    await page.getByRole('button', { name: 'Add link' }).click()
    await page.getByRole('textbox', { name: 'Label' }).fill('Text')
    await page.getByRole('textbox', { name: 'URL' }).fill('https://rules.example/rel?number=1')
    await expectNoProblems(page)
    const { waybill, curl } = await readCommands(page)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.waitForURL('**/controls/REL-1')
    await admin.paste(waybill.replace('REL-1', 'REL-2'))
    await admin.paste(curl.replace('REL-1', 'REL-3'))
    const { controls } = (await app.admin.get(`/controls/${ORG}`)).body
    expect(controls).toHaveLength(3)
    for (const control of controls) {
      expect(control).toMatchObject({
        name: "Two people's eyes",
        links: { Text: 'https://rules.example/rel?number=1' },
      })
    }
    expect(complaints).toEqual([])
  })
})

describe('a custom attestation type', () => {
  it('is tried on a pasted example, and created', async () => {
    const { page, complaints } = await openWindow(app, port, 'desk', 'member')
    await show(page, `/${ORG}/attestation-types`)
    await page.getByRole('link', { name: 'New attestation type' }).click()
    await page.waitForURL('**/new-attestation-type')
    await settled(page)
    const example = page.getByRole('textbox', { name: 'Example data' })
    const tryIt = page.getByRole('button', { name: 'Try it' })
    await example.fill('{ "percent": 12 }')
    await tryIt.click()
    await page.getByText('The example would be NON-COMPLIANT').waitFor()
    await page.getByText('.percent >= 80 is not satisfied: yields false').waitFor()
    await example.fill('{ "percent": "most" }')
    await tryIt.click()
    await page.getByText('Refused: the data does not match the schema').waitFor()
    const rule = page.getByRole('textbox', { name: 'Rule 1' })
    await rule.fill('.percent >=')
    await tryIt.click()
    await page
      .getByText(/Input should be a valid jq program/)
      .first()
      .waitFor()
    expect(await rule.getAttribute('aria-invalid')).toBe('true')
    await rule.fill('.percent >= 80')
    await page.getByRole('button', { name: 'Add a value' }).click()
    await page.getByRole('textbox', { name: 'Label of value 1' }).fill('Branches')
    await page.getByRole('textbox', { name: 'Expression of value 1' }).fill('.percent')
    await example.fill('{ "percent": 91 }')
    await tryIt.click()
    await page.getByText('The example would be COMPLIANT').waitFor()
    await page.getByText('Branches').last().waitFor()
    await expectNoProblems(page)
    await page.getByRole('textbox', { name: 'Name' }).fill('branch-coverage')
    await page.getByRole('button', { name: 'Create type' }).click()
    await page.waitForURL('**/attestation-types/branch-coverage')
    await page.getByText('Created branch-coverage').waitFor()
    expect(complaints.map(readStatus)).toEqual(['400', '404'])
  })
})

describe('evidence', () => {
  it('is reported by hand with a file, and the command beside it does the same', async () => {
    const { page, complaints } = await openWindow(app, port, 'desk', 'member')
    const trail = await openTrail(page)
    await page.getByRole('link', { name: 'Report evidence' }).click()
    await page.waitForURL('**/attest')
    await settled(page)
    await page.getByRole('textbox', { name: 'Name of the attestation' }).fill('pen-test')
    await page.getByRole('button', { name: 'Report evidence' }).click()
    // Nobody reports a verdict by accident.
    await page.getByText('Choose one').waitFor()
    await page.getByRole('radio', { name: 'Compliant', exact: true }).check()
    await page.locator('input[type=file]').setInputFiles({
      name: 'report.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('nothing found'),
    })
    await expectNoProblems(page)
    const { waybill, curl } = await readCommands(page)
    expect(waybill).toContain('--compliant=true')
    expect(waybill).toContain('--attachments report.txt')
    await page.getByRole('button', { name: 'Report evidence' }).click()
    await page.waitForURL(`**${trail}`)
    await page.getByText('Reported pen-test').waitFor()
    await page
      .getByRole('row', { name: /pen-test/ })
      .first()
      .waitFor()
    await shell.write('report.txt', 'nothing found')
    await shell.paste(waybill)
    expect(JSON.parse(await shell.paste(curl))).toBe('OK')
    expect(complaints).toEqual([])
  })

  it('of a custom type is evaluated, and what the server refuses is next to its field', async () => {
    const { page, complaints } = await openWindow(app, port, 'phone', 'member')
    const trail = await openTrail(page)
    await goTo(page, `${trail}/attest?type=custom%3Abranch-coverage&name=branches`)
    const data = page.getByRole('textbox', { name: 'Attestation data' })
    await data.fill('{ "percent": "most" }')
    await page.getByRole('button', { name: 'Report evidence' }).click()
    await page.getByText(/should be a valid number/).waitFor()
    expect(await data.getAttribute('aria-invalid')).toBe('true')
    await data.fill('{ "percent": 95 }')
    await expectNoProblems(page)
    await page.getByRole('button', { name: 'Report evidence' }).click()
    await page.waitForURL(`**${trail}`)
    await page
      .getByRole('row', { name: /branches/ })
      .first()
      .waitFor()
    expect(complaints).toEqual([expect.stringContaining('400')])
  })

  it('is overridden with a reason', async () => {
    const { page, complaints } = await openWindow(app, port, 'desk', 'member')
    await openTrail(page)
    await page.getByRole('link', { name: 'pen-test' }).first().click()
    await page.getByRole('dialog').getByRole('link', { name: 'Override this verdict' }).click()
    await page.waitForURL('**/override/*')
    await settled(page)
    await page.getByRole('button', { name: 'Override', exact: true }).click()
    await page.getByText('Enter a reason').waitFor()
    expect(await page.getByRole('radio', { name: 'Not compliant' }).isChecked()).toBe(true)
    await page.getByRole('textbox', { name: 'Reason' }).fill('The test was of another version')
    await expectNoProblems(page)
    await page.getByRole('button', { name: 'Override', exact: true }).click()
    await page.waitForURL(/trails\/[^/]+$/)
    await page.getByText(/^(Overrode pen-test|The override of pen-test waits for a second person)$/).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('an approval', () => {
  it('is recorded on the trail, with who gave it', async () => {
    const { page, complaints } = await openWindow(app, port, 'desk', 'member')
    const trail = await openTrail(page)
    await page.getByRole('link', { name: 'Approve' }).click()
    await page.waitForURL('**/approve')
    await settled(page)
    await page.getByRole('textbox', { name: 'What is approved' }).fill('The release of today')
    await page.getByRole('textbox', { name: 'Reason' }).fill('Seen and tried')
    await expectNoProblems(page)
    await page.getByRole('button', { name: 'Record approval' }).click()
    await page.waitForURL(`**${trail}`)
    await page.getByText(/Approval \d+ recorded: APPROVED/).waitFor()
    expect(complaints).toEqual([])
  })
})

async function openTrail(page: Page): Promise<string> {
  await show(page, TRAIL)
  return TRAIL
}
