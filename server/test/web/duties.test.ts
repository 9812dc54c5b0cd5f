// Separation of duties in the web app: settings, decisions that wait for a second person, rejections and quotas.
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  DEMO_ORG,
  findAccessibilityProblems,
  measureOverflow,
  openSite,
  type Site,
  settled,
  show,
} from './browser.ts'

const ORGANIZATION = `/${DEMO_ORG}/settings/organization`
const WAITING = `/${DEMO_ORG}/waiting-decisions`
const ALLOW_LIST = `/${DEMO_ORG}/environments/staging?tab=allow-list`
const NO_DUTIES = {
  decision_role: 'member',
  decision_groups: [],
  separate_duties: false,
  separate_policy_authors: false,
  two_person_decisions: [],
}

let site: Site
beforeAll(async () => {
  site = await openSite({
    WAYBILL_ORG_REQUESTS_PER_SECOND: '500',
    WAYBILL_ORG_EVIDENCE_BYTES: '1',
  })
})

const makeFingerprint = (digit: string) => digit.repeat(64)

describe('the demo', () => {
  it('has an override that somebody else confirms with a click', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'mara')
    await show(page, `/${DEMO_ORG}`)
    await page.getByText('jonas asked for the override of vulnerability-scan').waitFor()
    await page.getByRole('link', { name: 'View decision' }).click()
    await page.waitForURL(`**${WAITING}`)
    const card = page.getByRole('region', { name: 'Override vulnerability-scan' })
    await card.getByText('by jonas').waitFor()
    await card.getByText('Both findings are in the test runner').first().waitFor()
    await expectSound(page)
    const trail = (await card.getByRole('link', { name: /^release-/ }).innerText()).trim()
    expect(await readVerdict(trail)).toBe(false)
    await card.getByRole('button', { name: 'Confirm the override of vulnerability-scan' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`vulnerability-scan of ${trail} counts as compliant at once`).waitFor()
    await expectSound(page)
    await dialog.getByLabel('Reason').fill('Checked the image: the test runner is not in it.')
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.getByText('Confirmed the override of vulnerability-scan').first().waitFor()
    await page.getByRole('heading', { name: 'No decisions are waiting' }).waitFor()
    await expectSound(page)
    expect(await readVerdict(trail)).toBe(true)
    const [stored] = await read<{ attestation_id: string }[]>(
      `attestations/${DEMO_ORG}/fraud-scoring/trail/${trail}/vulnerability-scan`,
    )
    await show(
      page,
      `/${DEMO_ORG}/flows/fraud-scoring/trails/${trail}?attestation_id=${stored?.attestation_id}`,
    )
    const drawer = page.getByRole('dialog')
    await drawer
      .getByRole('row', { name: /^Requested by jonas, .*: Both findings are in the test runner/ })
      .waitFor()
    await drawer.getByRole('row', { name: /^Confirmed by mara, .*: Checked the image/ }).waitFor()
    await expectSound(page)
    expect(complaints).toEqual([])
  })
})

describe('the settings for separation of duties', () => {
  it('are saved by admins, and read by members', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'mara')
    await show(page, ORGANIZATION)
    await page.getByRole('combobox', { name: 'Who can decide' }).click()
    await page.getByRole('option', { name: 'admins', exact: true }).click()
    const groups = page.getByRole('combobox', { name: 'Groups that can decide' })
    await groups.fill('release-managers')
    await groups.press('Enter')
    await page.getByLabel('Nobody can override or approve their own work').check()
    await page.getByLabel('Nobody can overrule their own policy alone').check()
    await page.getByRole('checkbox', { name: 'Overrides of attestations' }).uncheck()
    await page.getByRole('checkbox', { name: 'Allow-list entries' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the settings', { exact: true }).first().waitFor()
    await expectSound(page)
    expect(await read(`organizations/${DEMO_ORG}`)).toMatchObject({
      settings: {
        decision_role: 'admin',
        decision_groups: ['release-managers'],
        separate_duties: true,
        separate_policy_authors: true,
        two_person_decisions: ['allow'],
      },
    })
    const teo = await site.sameWindow('phone', 'teo')
    await show(teo.page, ORGANIZATION)
    await teo.page.getByRole('row', { name: 'Decisions by admins in release-managers' }).waitFor()
    await teo.page.getByRole('row', { name: 'Own work only others can override or approve it' }).waitFor()
    await teo.page.getByRole('row', { name: 'Own policies overruled with a second person' }).waitFor()
    await teo.page.getByRole('row', { name: 'Second person for allow-list entries' }).waitFor()
    await expectSound(teo.page)
    expect([...complaints, ...teo.complaints]).toEqual([])
  })
})

describe('an allow-list entry', () => {
  beforeEach(() => change(NO_DUTIES))

  it('is rejected with the message of the server', async () => {
    await change({ decision_role: 'admin' })
    const { page, complaints } = await site.sameWindow('desk', 'teo')
    await allow(page, 'refused:1', makeFingerprint('1'))
    await page.getByText("Adding to an allow-list needs the role 'admin' in this organization").waitFor()
    await change({ decision_role: 'member', decision_groups: ['release-managers'] })
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page
      .getByText(
        "Adding to an allow-list is allowed only for people in the groups 'release-managers' of this organization, and you are in none of them",
      )
      .waitFor()
    const kinds = (await readDecisions()).map(({ kind }) => kind)
    expect(kinds).not.toContain('allow')
    expect(complaints).toEqual(Array(2).fill(expect.stringContaining('403')))
  })

  it('is shown as waiting, and counts when another person confirms it', async () => {
    await change({ two_person_decisions: ['allow'] })
    const teo = await site.sameWindow('phone', 'teo')
    await allow(teo.page, 'vendor/agent:2', makeFingerprint('2'))
    const alert = teo.page.getByRole('group', { name: 'Waiting for a second person' })
    await alert
      .getByText('vendor/agent:2 is not allowed yet. Another person must confirm it first.')
      .waitFor()
    expect(await teo.page.getByText('Allowed vendor/agent:2').count()).toBe(0)
    await expectSound(teo.page)
    await alert.first().getByRole('link', { name: 'Waiting decisions' }).click()
    await teo.page.waitForURL(`**${WAITING}`)
    const title = 'Allow vendor/agent:2 in staging'
    const own = teo.page.getByRole('region', { name: title })
    await own.getByText('Someone else must confirm it').waitFor()
    expect(await own.getByRole('button').allInnerTexts()).toEqual(['Withdraw'])
    await expectSound(teo.page)

    const ines = await site.sameWindow('desk', 'ines')
    await show(ines.page, WAITING)
    const readers = ines.page.getByRole('region', { name: title })
    await readers.getByText('Only members and admins can confirm it.').waitFor()
    expect(await readers.getByRole('button').count()).toBe(0)

    const { page, complaints } = await site.sameWindow('desk', 'mara')
    await show(page, WAITING)
    const card = page.getByRole('region', { name: title })
    await card.getByRole('button', { name: 'Confirm the allow-list entry for vendor/agent:2' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.getByText('Confirmed the allow-list entry for vendor/agent:2').first().waitFor()
    await card.waitFor({ state: 'detached' })
    const [entry] = await read<unknown[]>(`allowlists/${DEMO_ORG}/staging`)
    expect(entry).toMatchObject({ artifact_name: 'vendor/agent:2', created_by: 'mara', is_in_force: true })
    await show(page, ALLOW_LIST)
    await page.getByText('requested by teo: Reviewed by us').waitFor()
    await expectSound(page)
    expect([...complaints, ...teo.complaints, ...ines.complaints]).toEqual([])
  })

  it('can be withdrawn by its requester and rejected by another person', async () => {
    await change({ two_person_decisions: ['allow'] })
    const teo = await site.sameWindow('desk', 'teo')
    await allow(teo.page, 'first:1', makeFingerprint('3'))
    await teo.page.getByText('first:1 is not allowed yet.', { exact: true }).waitFor()
    await allow(teo.page, 'second:1', makeFingerprint('4'))
    await teo.page.getByText('second:1 and first:1 are not allowed yet.').waitFor()
    await show(teo.page, WAITING)
    await teo.page.getByRole('button', { name: 'Withdraw the allow-list entry for first:1' }).click()
    await teo.page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await teo.page.getByText('Withdrew the allow-list entry for first:1').first().waitFor()

    const { page, complaints } = await site.sameWindow('phone', 'jonas')
    await show(page, WAITING)
    await page.getByRole('region', { name: 'Allow second:1 in staging' }).waitFor()
    expect(await page.getByRole('region', { name: /^Allow/ }).count()).toBe(1)
    await page.getByRole('button', { name: 'Reject the allow-list entry for second:1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await page.getByText('Rejected the allow-list entry for second:1').first().waitFor()
    await page.getByRole('region', { name: 'Allow second:1 in staging' }).waitFor({ state: 'detached' })
    expect([...complaints, ...teo.complaints]).toEqual([])
  })

  it('whose request has lapsed is requested again, with the reason', async () => {
    await change({ two_person_decisions: ['allow'] })
    const teo = await site.sameWindow('desk', 'teo')
    await allow(teo.page, 'lapsed:1', makeFingerprint('6'))
    await teo.page.getByText('lapsed:1 is not allowed yet.', { exact: true }).waitFor()
    const names = { policy_names: [await addPolicy('changed-in-between')] }
    await call('POST', `environments/${DEMO_ORG}/staging/policies`, names)
    const { page } = await site.sameWindow('phone', 'jonas')
    await show(page, WAITING)
    await page.getByRole('button', { name: 'Confirm the allow-list entry for lapsed:1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm', exact: true }).click()
    const why = "Policy 'changed-in-between' was attached to the environment since"
    await page.getByText(`Not confirmed, because the first request has lapsed: ${why}.`).first().waitFor()
    const card = page.getByRole('region', { name: 'Allow lapsed:1 in staging' })
    await card.getByText('You requested this. Someone else must confirm it.').waitFor()
    await card.getByText(`the request of teo (Reviewed by us): ${why}`).waitFor()
    await expectSound(page)
    await call('DELETE', `environments/${DEMO_ORG}/staging/policies`, names)
    for (const { id } of await readDecisions()) await call('DELETE', `decisions/${DEMO_ORG}/${id}`)
  })

  it('that was withdrawn in the meantime is requested again, not shown as confirmed', async () => {
    await change({ two_person_decisions: ['allow'] })
    const teo = await site.sameWindow('desk', 'teo')
    await allow(teo.page, 'late:1', makeFingerprint('5'))
    await teo.page.getByText('late:1 is not allowed yet.', { exact: true }).waitFor()
    const { page } = await site.sameWindow('desk', 'jonas')
    await show(page, WAITING)
    await page.getByRole('button', { name: 'Confirm the allow-list entry for late:1' }).click()
    const [first] = await readDecisions()
    await call('DELETE', `decisions/${DEMO_ORG}/${first?.id}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.getByText('Waiting for a second person: the allow-list entry for late:1').first().waitFor()
    await page.getByRole('region', { name: 'Allow late:1 in staging' }).getByText('by jonas').waitFor()
  })
})

describe('a decision that this page cannot send', () => {
  it('says why, and shows the request', async () => {
    await change({ ...NO_DUTIES, two_person_decisions: ['override'] })
    const asked = await call(
      'POST',
      `attestations/${DEMO_ORG}/ledger/trail/${await readLatestTrail()}/override`,
      {
        attestation_name: 'unit-tests',
        target_artifacts: ['image'],
        git_commit_info: { sha1: 'e'.repeat(40) },
        reason: 'Not built yet',
        new_compliance_status: true,
        original_attestation_type: 'junit',
      },
    )
    expect(asked).toBe(202)
    const { page, complaints } = await site.sameWindow('phone', 'jonas')
    await show(page, WAITING)
    const card = page.getByRole('region', { name: 'Override unit-tests' })
    await card.getByText('You cannot confirm it on this page.').waitFor()
    expect(await card.getByRole('button', { name: /^Confirm/ }).count()).toBe(0)
    await card.getByText('Request that confirms it').click()
    await card.getByText('SHA1_OF_THE_COMMIT').waitFor()
    await expectSound(page)
    expect(complaints).toEqual([])
  })
})

describe('an organization that does not require two people', () => {
  it('explains on the empty page what would be listed', async () => {
    await change(NO_DUTIES)
    for (const { id } of await readDecisions()) await call('DELETE', `decisions/${DEMO_ORG}/${id}`)
    const { page, complaints } = await site.sameWindow('desk', 'mara')
    await show(page, `/${DEMO_ORG}`)
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Waiting decisions' })
      .click()
    await page.getByRole('heading', { name: 'This organization does not require two people' }).waitFor()
    await expectSound(page)
    await page.getByRole('link', { name: 'Settings, Organization' }).click()
    await page.getByRole('group', { name: 'Separation of duties' }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('usage and quotas', () => {
  it('show the usage, the quota, and what happens when it is used up', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'mara')
    await show(page, ORGANIZATION)
    const usage = page.getByRole('region', { name: 'Usage and quotas' })
    const about = (title: string) => usage.getByRole('group', { name: title })
    await about('Requests')
      .getByText(/^\d+ of 500 requests in the current second$/)
      .waitFor()
    await about('Evidence')
      .getByText(/^[\d.]+ (bytes|kB|MB) of 1 byte of attachments stored$/)
      .waitFor()
    await about('Evidence').getByText('Used up').waitFor()
    await about('Evidence').getByText('Attestations with a new attachment are rejected (507)').waitFor()
    await about('jq time')
      .getByText(/^[\d.]+ seconds of processor time in the last hour, no quota$/)
      .waitFor()
    await expectSound(page)
    const teo = await site.sameWindow('desk', 'teo')
    await show(teo.page, ORGANIZATION)
    expect(await teo.page.getByRole('region', { name: 'Usage and quotas' }).count()).toBe(0)
    expect([...complaints, ...teo.complaints]).toEqual([])
  })
})

describe('a quota that is nearly used up', () => {
  it('warns, and says what will happen', async () => {
    const { evidence_bytes } = await readUsage()
    const quotas = { evidence_bytes: Math.ceil(evidence_bytes.used / 0.9) }
    await site.service.owner.query('update orgs set quotas = $1 where name = $2', [quotas, DEMO_ORG])
    await expect.poll(async () => (await readUsage()).evidence_bytes.quota).toBe(quotas.evidence_bytes)
    const { page } = await site.newWindow('desk', 'mara')
    await show(page, ORGANIZATION)
    const evidence = page.getByRole('group', { name: 'Evidence' })
    await evidence.getByText('Nearly used up').waitFor()
    await evidence.getByText('Once it is used up, attestations with a new attachment are rejected').waitFor()
    await expectSound(page)
  })
})

/** Fills in the form and submits it. */
async function allow(page: Page, name: string, fingerprint: string): Promise<void> {
  await show(page, ALLOW_LIST)
  await page.getByLabel('Artifact', { exact: false }).last().fill(name)
  await page.getByLabel('Fingerprint').fill(fingerprint)
  await page.getByLabel('Reason').fill('Reviewed by us')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
}

async function expectSound(page: Page): Promise<void> {
  await settled(page)
  expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
  expect(await findAccessibilityProblems(page)).toEqual([])
}

async function call(method: string, path: string, body?: unknown): Promise<number> {
  const { status, text } = await site.service.call(method, `/api/v2/${path}`, { key: site.service.key, body })
  expect(status, text).toBeLessThan(300)
  return status
}

async function addPolicy(name: string): Promise<string> {
  const policy_yaml = '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n'
  await call('PUT', `policies/${DEMO_ORG}/${name}`, { policy_yaml })
  return name
}

interface TrailAnswer {
  compliance_status: {
    artifacts_statuses: {
      image: { attestations_statuses: { attestation_name: string; is_compliant: boolean }[] }
    }
  }
}

const readDecisions = () => read<{ id: string; kind: string }[]>(`decisions/${DEMO_ORG}`)
const readUsage = () =>
  read<{ evidence_bytes: { used: number; quota: number | null } }>(`organizations/${DEMO_ORG}/usage`)

async function read<T>(path: string): Promise<T> {
  const { status, text } = await site.service.call('GET', `/api/v2/${path}`, { key: site.service.key })
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

const change = (settings: Record<string, unknown>) => call('PATCH', `organizations/${DEMO_ORG}`, { settings })

/** The verdict of the scan that counts on a trail of the demo. */
async function readVerdict(trail: string): Promise<boolean> {
  const { compliance_status } = await read<TrailAnswer>(`trails/${DEMO_ORG}/fraud-scoring/${trail}`)
  const slots = compliance_status.artifacts_statuses.image.attestations_statuses
  return slots.find(slot => slot.attestation_name === 'vulnerability-scan')?.is_compliant ?? false
}

async function readLatestTrail(): Promise<string> {
  const { data } = await read<{ data: { name: string }[] }>(
    `trails/${DEMO_ORG}?flow=ledger&page=1&per_page=1`,
  )
  return data[0]?.name ?? ''
}
