// Trends: the compliance of an environment with the changes of its policies, deployments of flows and of the organization, and
// coverage.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  DEMO_ORG,
  findAccessibilityProblems,
  measureOverflow,
  openSharedSite,
  type Site,
  settled,
  show,
} from './browser.ts'

const CHART_CODE = /\/assets\/chart-/
const ENVIRONMENT = `/${DEMO_ORG}/environments/production`

interface Changes {
  changes: { policy_name: string; change: string; snapshot_index: number }[]
}

let site: Site
beforeAll(async () => {
  site = await openSharedSite()
})

describe('the trends of an environment', () => {
  it('mark each change of policies in a chart, explain it, and are a table too', async () => {
    const { page, complaints } = await site.newWindow('desk', 'ines')
    const scripts: string[] = []
    page.on('request', request => scripts.push(new URL(request.url()).pathname))
    await show(page, ENVIRONMENT)
    await settled(page)
    expect(scripts.filter(path => CHART_CODE.test(path))).toEqual([])
    await page.getByRole('tab', { name: 'Trends' }).click()
    await page.getByText('1 year').click()
    await page.waitForURL('**tab=trends&period=1y')
    await page
      .getByRole('img', { name: /^Compliance over time: .*% compliant.* 2 changes of policies/ })
      .waitFor()
    expect(scripts.filter(path => CHART_CODE.test(path))).toHaveLength(1)
    const changes = page.getByRole('region', { name: 'Changes of policies' })
    const answer = await page.request.get(`/api/v2/environments/${DEMO_ORG}/production/policy-changes`)
    const listed = ((await answer.json()) as Changes).changes
    expect(listed.map(({ change }) => change)).toEqual(['attached', 'updated'])
    expect(await changes.getByRole('row').count()).toBe(listed.length + 1)
    await changes.getByRole('link', { name: `production #${listed[1]?.snapshot_index}` }).waitFor()
    await page.getByText('Show the figures as a table').focus()
    await page.keyboard.press('Enter')
    const figures = page.getByRole('table', { name: 'Compliance by time span' })
    await figures.waitFor()
    expect(await figures.getByRole('row').count()).toBe(53)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('fit a phone', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'ines')
    await show(page, `${ENVIRONMENT}?tab=trends`)
    await page.getByRole('img', { name: /^Compliance over time/ }).waitFor()
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('the trends of deployments', () => {
  it('show what the server counts, of the organization and of one environment', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'ines')
    await show(page, `/${DEMO_ORG}`)
    await page.getByRole('link', { name: 'Trends', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Trends' }).waitFor()
    const figures = page.getByRole('region', { name: 'Figures of the period' })
    await figures.getByText('Change failure rate').waitFor()
    await page.getByRole('img', { name: /^Deployments over time: 45 time spans: \d+ deployments/ }).waitFor()
    await page.getByRole('img', { name: /^Median lead time over time/ }).waitFor()
    const counted = page.waitForResponse(/deployment-trends.*env_name=production/)
    await page.getByRole('combobox', { name: 'Environment' }).fill('production')
    await page.waitForURL('**/trends?environment=production')
    const { total } = (await (await counted).json()) as { total: { deployments: number } }
    await figures.getByText(total.deployments.toLocaleString('en'), { exact: true }).waitFor()
    await page.getByText('Show the figures as a table').click()
    await page.getByRole('table', { name: 'Deployments by time span' }).waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    const answers = [/deployment-trends.*env_name=nowhere/, /coverage-trends.*env_name=nowhere/]
    const refused = answers.map(path => page.waitForResponse(path))
    await page.getByRole('combobox', { name: 'Environment' }).fill('nowhere')
    await Promise.all(refused)
    const said = page.getByText("Environment named 'nowhere' does not exist")
    await said.first().waitFor()
    await settled(page)
    expect(await said.count()).toBe(1)
    expect(complaints.filter(text => !text.includes('404'))).toEqual([])
  })

  it('of a flow are a tab of its page, which fits a phone', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'ines')
    await show(page, `/${DEMO_ORG}/flows/payments-api`)
    await page.getByRole('tab', { name: 'Trends' }).click()
    await page.waitForURL('**/flows/payments-api?tab=trends')
    await page.getByRole('img', { name: /^Deployments over time/ }).waitFor()
    await page.getByText('7 days').click()
    await page.waitForURL('**tab=trends&period=7d')
    await settled(page)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})

interface Coverage {
  buckets: {
    environments: { compliant: number } | null
    artifacts: { total: number } | null
    provenance: { with_provenance: number; share: number | null } | null
  }[]
}

describe('coverage', () => {
  it('of the organization is what the server counts, as charts and as tables', async () => {
    const { page, complaints } = await site.sameWindow('desk', 'ines')
    const counted = page.waitForResponse(/coverage-trends/)
    await show(page, `/${DEMO_ORG}/trends?period=1y`)
    const { buckets } = (await (await counted).json()) as Coverage
    const [first, latest] = [buckets[0], buckets.at(-1)]
    const with_provenance = latest?.provenance?.with_provenance ?? 0
    expect(with_provenance).toBeGreaterThan(0)
    await page
      .getByRole('img', {
        name: new RegExp(
          `^Provenance over time\\. .*: ${latest?.artifacts?.total} artifacts: ${with_provenance} with provenance`,
        ),
      })
      .waitFor()
    await page
      .getByRole('img', {
        name: new RegExp(
          `^Compliance of environments over time\\. .*: ${latest?.environments?.compliant} compliant`,
        ),
      })
      .waitFor()
    await page.getByRole('img', { name: /^Compliance of artifacts over time/ }).waitFor()
    for (const [open, name] of [
      ['Show provenance as a table', 'Provenance over time'],
      ['Show the compliance of artifacts as a table', 'Compliance of artifacts over time'],
      ['Show the compliance of environments as a table', 'Compliance of environments over time'],
    ] as const) {
      await page.getByText(open).focus()
      await page.keyboard.press('Enter')
      const table = page.getByRole('table', { name })
      await table.waitFor()
      expect(await table.getByRole('row').count()).toBe(buckets.length + 1)
    }
    // Nobody had reported anything at the start of the period, and that is not 0%.
    expect(first).toMatchObject({ environments: null, artifacts: null, provenance: null })
    const rows = page.getByRole('table', { name: 'Provenance over time' }).getByRole('row')
    expect(await rows.nth(1).getByText('No reports yet').count()).toBe(5)
    expect(await rows.nth(1).getByText('%').count()).toBe(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('of an environment is on its page, which fits a phone', async () => {
    const { page, complaints } = await site.sameWindow('phone', 'ines')
    await show(page, `${ENVIRONMENT}?tab=trends&period=30d`)
    await page.getByRole('img', { name: /^Provenance over time/ }).waitFor()
    await page.getByRole('img', { name: /^Compliance of artifacts over time/ }).waitFor()
    expect(await page.getByRole('img', { name: /^Compliance of environments/ }).count()).toBe(0)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})
