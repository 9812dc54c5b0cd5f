// Jira issues and SonarQube quality gates, from fakes on loopback, recorded by a real service.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { findIssueKeys } from '../src/commands/attest/jira.ts'
import { serveCli } from './served-cli.ts'
import { serveAnswers } from './stand-in.ts'

const IN_CI = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SHA: '9f2c1d0b8a7e6f5d4c3b2a190817263544536271',
  GITHUB_HEAD_REF: 'PAY-7-totals',
  GITHUB_REF_NAME: 'PAY-7-totals',
  GITHUB_REF_TYPE: 'branch',
}

const host = serveAnswers()
const served = serveCli({ role: 'member' }, async ({ cli }) => {
  await cli.run('create flow tracked --use-empty-template')
})
let number = 0
let trail: string
beforeEach(async () => {
  number += 1
  trail = `trail-${number}`
  await served.cli.run(`begin trail ${trail} --flow tracked`)
})

const attest = (line: string) =>
  served.cli.run(`attest ${line} --name it --flow tracked --trail ${trail}`, { env: IN_CI })

async function readRecorded() {
  const { body } = await served.app.member.get(`/attestations/acme/tracked/trail/${trail}/it`)
  return body[0]
}

describe('the issues that a text names', () => {
  it.each([
    ['PAY-7: round totals', [], ['PAY-7']],
    ['Fix PAY-7, PAY-8 and PAY-7', [], ['PAY-7', 'PAY-8']],
    ['feature/SHOP_2-12-x', [], ['SHOP_2-12']],
    ['pay-7 X-1 PAY-0 UTF-8', ['PAY'], []],
    ['PAY-7 and OPS-3', ['OPS'], ['OPS-3']],
  ])('%j of the projects %j are %j', (text, projects, expected) => {
    expect(findIssueKeys([text], projects)).toEqual(expected)
  })
})

describe('Jira', () => {
  const flags = () => `--jira-base-url ${host.url} --jira-pat secret-token`

  it('reports which issues of the branch exist', async () => {
    host.answers['/rest/api/2/issue/PAY-7?fields=status'] = { key: 'PAY-7' }
    const { code, stderr } = await attest(`jira ${flags()} --assert`)
    expect(code, stderr).toBe(0)
    const result = { issue_id: 'PAY-7', issue_exists: true, issue_url: `${host.url}/browse/PAY-7` }
    expect(await readRecorded()).toMatchObject({ is_compliant: true, jira_results: [result] })
    expect(host.asked[0]?.headers.authorization).toBe('Bearer secret-token')
  })

  it('is a no for an issue that does not exist, if asked to fail', async () => {
    const { code, stderr } = await attest(`jira ${flags()} --assert`)
    expect(code).toBe(4)
    expect(stderr).toContain('PAY-7')
    expect(await readRecorded()).toMatchObject({ is_compliant: false })
  })

  it('is a no without an issue, if asked to fail', async () => {
    const { code, stderr } = await attest(`jira ${flags()} --assert --ignore-branch-match`)
    expect(code).toBe(4)
    expect(stderr).toContain('names no issue')
  })

  it('needs a credential', async () => {
    const { code, stderr } = await attest(`jira --jira-base-url ${host.url}`)
    expect(code).toBe(2)
    expect(stderr).toContain('--jira-pat')
  })
})

describe('SonarQube', () => {
  const gate = (status: string) => ({ projectStatus: { status, conditions: [] } })

  beforeEach(() => {
    mkdirSync(join(served.cli.folder, '.scannerwork'), { recursive: true })
    const lines = [
      'projectKey=shop',
      `serverUrl=${host.url}`,
      `dashboardUrl=${host.url}/dashboard?id=shop`,
      'ceTaskId=task-1',
      `ceTaskUrl=${host.url}/api/ce/task?id=task-1`,
    ]
    writeFileSync(join(served.cli.folder, '.scannerwork', 'report-task.txt'), `${lines.join('\n')}\n`)
    host.answers['/api/ce/task?id=task-1'] = {
      task: {
        id: 'task-1',
        status: 'SUCCESS',
        analysisId: 'a-1',
        componentKey: 'shop',
        componentName: 'Shop',
      },
    }
  })

  it.each([
    ['OK', true],
    ['ERROR', false],
  ])('a quality gate that says %s is compliant: %s', async (status, is_compliant) => {
    host.answers['/api/qualitygates/project_status?analysisId=a-1'] = gate(status)
    const { code, stderr } = await attest('sonar --sonar-api-token secret')
    expect(code, stderr).toBe(0)
    expect(await readRecorded()).toMatchObject({ is_compliant })
  })

  it.each(['PENDING', 'FAILED'])(
    'an analysis that is %s is unknown, and nothing is recorded',
    async status => {
      host.answers['/api/ce/task?id=task-1'] = { task: { id: 'task-1', status } }
      const { code } = await attest('sonar --sonar-api-token secret --max-wait 0')
      expect(code).toBe(8)
      expect(await readRecorded()).toBeUndefined()
    },
  )

  it("needs the scanner's report file", async () => {
    const { code, stderr } = await attest('sonar --sonar-api-token secret --sonar-working-dir nowhere')
    expect(code).toBe(2)
    expect(stderr).toContain('report-task.txt')
  })
})
