// An environment that nothing has checked is unknown wherever it is shown, and a page says why and what helps.
import { beforeAll, describe, expect, it } from 'vitest'
import { attach, makeEnvironment, putPolicy, report } from '../environments.ts'
import { show } from './browser.ts'
import { type Company, must, ORG, openCompany } from './company.ts'

const NOTHING_CHECKED = 'No policy is attached: nothing was checked.'

let company: Company
beforeAll(async () => {
  company = await openCompany()
  const { app } = company
  must(await putPolicy(app, 'lenient', '_schema: https://waybill.example/v1\n'))
  for (const name of ['free', 'silent', 'known', 'overdue']) must(await makeEnvironment(app, name))
  for (const name of ['known', 'overdue']) must(await attach(app, name, 'lenient'))
  for (const name of ['free', 'known', 'overdue']) must(await report(app, name, 'a1'))
  must(await makeEnvironment(app, 'combined', { type: 'logical', included_environments: ['free', 'known'] }))
  await app.evaluate()
  await app.sql(
    `insert into pending_judgements (org_id, environment_id, cause, actor, marked_at)
     select org_id, environment_id, 'evidence', 'ci', $1::timestamptz - interval '2 minutes'
     from environments where name = 'overdue'`,
    [app.clock.now()],
  )
})

describe('an environment without policies', () => {
  it('is unknown in the overview, with the reason and the way to a policy', async () => {
    const { page, complaints } = await company.sameWindow('phone', 'teo')
    await show(page, `/${ORG}`)
    await page.getByText('Of 5, 4 are unknown.').waitFor()
    const getCard = (name: string) => page.getByRole('article', { name, exact: true })
    expect(await getCard('free').innerText()).toMatch(
      /Unknown[\s\S]*No policy is attached: nothing was checked\./,
    )
    expect(await getCard('silent').innerText()).toMatch(/Unknown[\s\S]*No reports yet\./)
    expect(await getCard('combined').innerText()).toMatch(
      /Unknown[\s\S]*The state of one of its members is unknown\./,
    )
    expect(await getCard('known').innerText()).toMatch(/Compliant(?![\s\S]*unknown)/)
    await getCard('free').getByRole('link', { name: 'Attach a policy' }).click()
    await page.waitForURL('**/environments/free?tab=policies')
    await page.getByRole('heading', { name: 'Attach a policy' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('is unknown on its page, and so is what runs there; a reader cannot help', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'ines')
    await show(page, `/${ORG}/environments/free`)
    await page.getByText(NOTHING_CHECKED).waitFor()
    expect(await page.getByRole('link', { name: 'Attach a policy' }).count()).toBe(0)
    await page.getByText(/^Unknown since/).waitFor()
    await page.getByText('No policy was in force: nothing was checked.').waitFor()
    await page.getByText('No policy applies to it: nothing was checked.').waitFor()
    await show(page, `/${ORG}/environments`)
    expect(await page.getByRole('row', { name: /^free/ }).innerText()).toContain(NOTHING_CHECKED)
    expect(complaints).toEqual([])
  })
})

describe('an environment whose evaluation is overdue', () => {
  it('is listed among the unknown ones, whatever its last verdict was', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'ines')
    await show(page, `/${ORG}/environments`)
    expect(await page.getByRole('row').last().innerText()).toMatch(/^known/)
    for (const [state, count] of [
      ['Compliant', '1 environment'],
      ['Unknown', '4 environments'],
    ] as const) {
      await page.getByRole('combobox', { name: 'Compliance' }).click()
      await page.getByRole('option', { name: state, exact: true }).click()
      await page.getByRole('status').getByText(count, { exact: true }).waitFor()
    }
    expect(await page.getByRole('row', { name: /^overdue/ }).innerText()).toMatch(/Unknown/)
    await show(page, `/${ORG}/environments/overdue`)
    await page.getByText('An evaluation has been waiting for more than a minute.').waitFor()
    expect(await page.getByRole('main').innerText()).not.toContain('Compliant since')
    await show(page, `/${ORG}/environments/overdue?tab=timeline`)
    await page.getByRole('row', { name: /^1 Unknown/ }).waitFor()
    expect(complaints).toEqual([])
  })
})
