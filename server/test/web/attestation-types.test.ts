// The web app knows the built-in attestation types from the API: in filters, in suggestions of the policy editor and
// in commands for missing evidence.
import { beforeAll, describe, expect, it } from 'vitest'
import { buildPolicyRequiring, putPolicy } from '../environments.ts'
import { makeFlow } from '../reports.ts'
import { settled, show } from './browser.ts'
import { type Company, must, ORG, openCompany } from './company.ts'

interface Type {
  name: string
  title: string
  attestation_type: string
  command: { path: string; body: object; arguments: string[] }
}

const FLOW = 'every-type'
const CUSTOM = { name: 'custom:load-test' }
/** Equal in length, so that no name contains another. */
const nameSlot = (number: number) => `slot-${100 + number}`

let company: Company
let types: Type[]
beforeAll(async () => {
  company = await openCompany()
  const { app } = company
  types = must(await app.reader.get('/schemas/attestation-types/v1'))
  must(await putPolicy(app, 'live-rules', buildPolicyRequiring('tests')))
  must(await app.member.post(`/custom-attestation-types/${ORG}`, { name: 'load-test' }))
})

describe('every attestation type', () => {
  it('is offered by the filter of attestations', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'mara')
    await show(page, `/${ORG}/attestations`)
    await page.locator('input').and(page.getByLabel('Types')).click()
    for (const { name } of [...types, { name: 'override' }, CUSTOM])
      await page.getByRole('option', { name, exact: true }).waitFor()
    await page.getByRole('option', { name: 'sbom', exact: true }).click()
    await page.waitForURL('**/attestations?type=*sbom*')
    expect(complaints).toEqual([])
  })

  it('is suggested by the policy editor, with its title', async () => {
    const { page, complaints } = await company.sameWindow('desk', 'mara')
    await show(page, `/${ORG}/policies/live-rules/edit`)
    await settled(page)
    await page.getByRole('textbox', { name: 'Policy YAML' }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('\n    - type: ')
    await page.keyboard.press('Control+Space')
    for (const { name, title } of types)
      await page.getByRole('option', { name: `${name}${title}`, exact: true }).waitFor()
    await page.getByRole('option', { name: CUSTOM.name }).waitFor()
    expect(complaints.filter(each => !/status of 400 .*\/try$/.test(each))).toEqual([])
  })

  it('has a command on the page of a trail that lacks it', async () => {
    const slots = [...types.map(({ name }) => name), CUSTOM.name, "'*'"]
    const lines = slots.map((type, i) => `  - {name: ${nameSlot(i)}, type: ${type}}`)
    const template = `version: 1\ntrail:\n  attestations:\n${lines.join('\n')}\n`
    await makeFlow(company.app, FLOW, template)
    must(await company.app.member.put(`/trails/${ORG}/${FLOW}`, { name: 'run' }))

    const { page, complaints } = await company.sameWindow('desk', 'mara')
    await show(page, `/${ORG}/flows/${FLOW}/trails/run`)
    const readCommands = async (name: string) => {
      const offer = page.getByRole('group').filter({ hasText: `Command that reports ${name}` })
      await offer.getByText('Command that reports').click()
      await offer.locator('pre').first().waitFor()
      return offer.locator('pre').allInnerTexts()
    }
    const custom = {
      operation: 'custom',
      body: { type_name: 'load-test', attestation_data: 'YOUR_DATA' },
      words: ['custom', '--type', 'load-test', '--attestation-data', 'YOUR_DATA.json'],
    }
    const any = {
      operation: 'generic',
      body: { is_compliant: 'TRUE_OR_FALSE' },
      words: ['generic', '--compliant=TRUE_OR_FALSE'],
    }
    const expected = [
      ...types.map(({ command }) => ({
        operation: command.path.split('/').at(-1),
        body: command.body,
        words: command.arguments,
      })),
      custom,
      any,
    ]
    for (const [i, { operation, body, words }] of expected.entries()) {
      const [attest = '', command = ''] = await readCommands(nameSlot(i))
      const where = ['--flow', FLOW, '--trail', 'run', '--org', ORG, '--host', company.url]
      expect(attest.replaceAll(/\s*\\\s*/g, ' ').split(' ')).toEqual([
        ...['waybill', 'attest', ...words, '--name', nameSlot(i), ...where],
      ])
      expect(command).toContain(
        `curl -X POST '${company.url}/api/v2/attestations/${ORG}/${FLOW}/trail/run/${operation}'`,
      )
      const sent = /-d '(.*)'$/.exec(command)?.[1] ?? ''
      expect(JSON.parse(sent)).toEqual({ attestation_name: nameSlot(i), ...body })
    }
    expect(complaints).toEqual([])
  })
})
