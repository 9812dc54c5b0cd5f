// Editing a policy: errors at their place, a preview of what would become non-compliant, and the difference between versions.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEMO_ORG, openSite, type Site, settled, show, type Watched } from './browser.ts'

const POLICY = 'live-rules'
const ADDRESS = `/${DEMO_ORG}/policies/${POLICY}`
const RULES = `_schema: https://waybill.example/schemas/policy/v1
artifacts:
  provenance:
    required: true
  attestations:
    - name: unit-tests
      type: junit
    - name: load-test
      type: custom:load-test
`
const LINE_OF_TYPE = 7

let site: Site
beforeAll(async () => {
  site = await openSite()
})

describe('editing a policy', () => {
  it('shows an error, tries the rules, saves them and compares the versions', async () => {
    const watched = await site.sameWindow('desk', 'mara')
    const { page } = watched
    await show(page, `/${DEMO_ORG}/policies`)
    await page.getByRole('link', { name: POLICY, exact: true }).click()
    await page.getByRole('link', { name: 'Edit and try' }).click()
    await write(page, RULES.replace('type: junit', 'type: junitt'))
    await page.getByText(`Line ${LINE_OF_TYPE}, column `).waitFor()
    expect(await page.locator('.cm-line:has(.cm-lintRange-error)').innerText()).toContain('junitt')
    expect(await page.getByRole('button', { name: 'Try it' }).isDisabled()).toBe(true)

    await write(page, RULES)
    await page.getByText('The policy is valid.').waitFor()
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('Something would become non-compliant').waitFor()
    const tried = await page.getByRole('region', { name: 'Try it' }).innerText()
    expect(tried).toContain('production')
    expect(tried).toContain('web-banking:')
    expect(tried).toContain(`has no 'load-test' attestation`)
    expect(await storedVersions()).toBe(2)

    await page.getByLabel('Comment').fill('Require a load test')
    await page.getByRole('button', { name: 'Save new version' }).click()
    await page.getByRole('heading', { name: 'Changes from version 2 to 3' }).waitFor()
    await page.getByRole('row', { name: /^3 Require a load test mara/ }).waitFor()
    await page.getByRole('textbox', { name: 'Before' }).getByText('vulnerability-scan').waitFor()
    await page.getByRole('textbox', { name: 'After' }).getByText('custom:load-test').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Changes from version 2 to 3' }).waitFor()
    expect(unexpected(watched)).toEqual([])
  })

  it('warns that somebody else has saved, and lets the editor decide', async () => {
    const watched = await site.sameWindow('phone', 'teo')
    const { page } = watched
    await show(page, `/${DEMO_ORG}/policies/staging-rules/edit`)
    const text = await findEditor(page).innerText()
    await write(page, `${RULES}# mine\n`)
    await page.getByLabel('Comment').fill('Mine')
    const changed = { policy_yaml: `${text.trimEnd()}\n# theirs\n`, comment: 'Theirs' }
    expect((await asAdmin(`policies/${DEMO_ORG}/staging-rules`, 'PUT', changed)).status).toBe(200)

    await page.getByRole('button', { name: 'Save new version' }).click()
    const alert = page
      .getByRole('alert')
      .filter({ hasText: 'Someone else saved this policy while you were editing' })
    await alert.getByText('saved version 2').waitFor()
    expect(await alert.innerText()).toContain('Theirs')
    expect(await findEditor(page).innerText()).toContain('# mine')
    await alert.getByRole('button', { name: 'Overwrite with mine' }).click()
    await page.getByRole('row', { name: /^3 Mine teo/ }).waitFor()
    expect(unexpected(watched)).toEqual([])
  })
})

describe('the environments of a policy', () => {
  it('are changed after a preview of the consequences', async () => {
    const watched = await site.sameWindow('desk', 'mara')
    const { page } = watched
    await show(page, ADDRESS)
    await page.getByRole('combobox', { name: 'Environment to attach it to' }).click()
    await page.getByRole('option', { name: 'staging' }).click()
    await page.getByRole('button', { name: 'Attach to staging' }).click()
    const question = page.getByRole('dialog', { name: 'Attach to staging?' })
    await question.getByText('running artifacts would change').waitFor()
    await question.getByRole('button', { name: 'Attach', exact: true }).click()
    await page.getByRole('button', { name: 'Detach from staging' }).click()
    const second = page.getByRole('dialog', { name: 'Detach from staging?' })
    await second.getByText('against staging-rules only').waitFor()
    await second.getByRole('button', { name: 'Detach', exact: true }).click()
    await page.getByRole('button', { name: 'Detach from staging' }).waitFor({ state: 'detached' })
    expect(unexpected(watched)).toEqual([])
  })
})

describe('a reader', () => {
  it('sees a policy and its versions, but no actions that change them', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'ines')
    await show(page, `${ADDRESS}?from=1&to=2`)
    await page.getByRole('textbox', { name: 'Changes' }).getByText('vulnerability-scan').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Edit and try' }).count()).toBe(0)
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /Attach|Detach|Archive/ })
        .count(),
    ).toBe(0)
    await show(page, `${ADDRESS}/edit`)
    await page.getByText('Only members and admins can change policies').waitFor()
    expect(complaints).toEqual([])
  })
})

const findEditor = (page: Page) => page.getByRole('textbox', { name: 'Policy YAML' })

/** Replaces the whole text, and leaves the editor, by keyboard. */
async function write(page: Page, text: string): Promise<void> {
  await settled(page)
  await findEditor(page).click()
  // Typing over a selection would make the browser insert inline styles, which the CSP of the page blocks.
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Backspace')
  await page.keyboard.insertText(text)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect.poll(() => page.evaluate(`document.activeElement?.closest('.cm-editor') === null`)).toBe(true)
}

function asAdmin(path: string, method = 'GET', body?: object): Promise<Response> {
  return fetch(`${site.service.url}/api/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${site.service.key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
}

async function storedVersions(): Promise<number> {
  const policy = (await (await asAdmin(`policies/${DEMO_ORG}/${POLICY}`)).json()) as { versions: unknown[] }
  return policy.versions.length
}

/** The browser logs the 400 of an invalid text, which is expected. */
const unexpected = ({ complaints }: Watched) =>
  complaints.filter(each => !/status of 400 .*\/policies\/.*\/try$/.test(each))
