// Attests that a commit names Jira issues, and that they exist.
import { reportVerdict } from '../../ci/summaries.ts'
import { type AskHost, makeAskHost } from '../../http/ask-host.ts'
import { defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { list, requiredText, text, toggle } from '../../program/flags.ts'
import { failUsage, Problem } from '../../program/problem.ts'
import { readCommitInfo } from '../flags.ts'
import { ARTIFACT_ARGUMENT, ATTEST_FLAGS, attest } from './attest.ts'

const ISSUE_KEY = /\b[A-Z][A-Z0-9_]{1,9}-[1-9]\d{0,9}\b/g
const MOST_ISSUES = 50

export const attestJira = defineCommand({
  words: ['attest', 'jira'],
  summary: 'record the Jira issues that a commit names, and whether they exist',
  details: 'Issue keys are looked for in the message of the commit, and in the name of its branch.',
  args: [ARTIFACT_ARGUMENT],
  flags: {
    ...ATTEST_FLAGS,
    'jira-base-url': requiredText('the address of Jira', { placeholder: '<url>' }),
    'jira-username': text('the user of the API token, in the cloud', { placeholder: '<mail address>' }),
    'jira-api-token': text('an API token of that user', { placeholder: '<token>' }),
    'jira-pat': text('a personal access token, for a server of your own', { placeholder: '<token>' }),
    'jira-project-key': list('only issues of these projects', { placeholder: '<key>' }),
    'ignore-branch-match': toggle('look at the message alone'),
    assert: toggle('exit with 4 if no issue is named, or one does not exist'),
  },
  needs: 'org',
  operations: ['reportJiraAttestation'],
  is_recorded: true,
  examples: ['attest jira --name ticket --jira-base-url https://acme.atlassian.net --flow backend-ci'],
  run: async ({ args, flags, context }) => {
    const info = await readCommitInfo(flags, context)
    if (info === undefined) failUsage('--commit is missing: the commit whose issues are recorded')
    const texts = [info.message ?? '', flags['ignore-branch-match'] ? '' : (info.branch ?? '')]
    const keys = findIssueKeys(texts, flags['jira-project-key'])
    const ask = makeAskHost(context.exchange, {
      name: 'Jira',
      flag: 'jira-base-url',
      base_url: flags['jira-base-url'],
      headers: buildCredentials(flags),
      timeout_ms: context.timeout_ms,
    })
    const base = flags['jira-base-url'].replace(/\/+$/, '')
    const jira_results = await Promise.all(keys.map(key => lookUp(key, base, ask)))
    const exit = await attest({ kind: 'jira', fields: { jira_results } }, args.artifact, flags, context)
    return exit === 'done' && flags.assert ? judge(jira_results, context) : exit
  },
})

export function findIssueKeys(texts: readonly string[], projects: readonly string[]): string[] {
  const found = new Set(texts.flatMap(each => each.match(ISSUE_KEY) ?? []))
  const wanted = [...found].filter(
    key => projects.length === 0 || projects.includes(key.slice(0, key.lastIndexOf('-'))),
  )
  return wanted.slice(0, MOST_ISSUES)
}

interface JiraResult {
  issue_id: string
  issue_url: string
  issue_exists: boolean
}

async function lookUp(key: string, base: string, ask: AskHost): Promise<JiraResult> {
  const result = { issue_id: key, issue_url: `${base}/browse/${key}` }
  try {
    await ask(`/rest/api/2/issue/${encodeURIComponent(key)}?fields=status`)
    return { ...result, issue_exists: true }
  } catch (error) {
    if (error instanceof Problem && error.exit === 'not_found') return { ...result, issue_exists: false }
    throw error
  }
}

function judge(results: readonly JiraResult[], { output, report }: Context) {
  const missing = results.filter(({ issue_exists }) => !issue_exists)
  if (results.length > 0 && missing.length === 0) return 'done'
  const names = missing.map(({ issue_id }) => issue_id).join(', ')
  const line = results.length === 0 ? 'The commit names no issue' : `These issues do not exist: ${names}`
  output.say(line)
  reportVerdict(report, { line, verdict: 'no', reasons: [] })
  return 'no'
}

function buildCredentials(flags: {
  'jira-username': string | undefined
  'jira-api-token': string | undefined
  'jira-pat': string | undefined
}): Record<string, string> {
  const { 'jira-username': user, 'jira-api-token': token, 'jira-pat': pat } = flags
  if (pat !== undefined) return { authorization: `Bearer ${pat}` }
  if (user === undefined || token === undefined)
    failUsage(
      'A credential for Jira is missing',
      'Give --jira-pat, or --jira-username with --jira-api-token.',
    )
  return { authorization: `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}` }
}
