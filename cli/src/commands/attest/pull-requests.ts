// Attests the pull requests that contain a commit, as the git host reports them.

import { reportVerdict } from '../../ci/summaries.ts'
import { makeAskHost } from '../../http/ask-host.ts'
import { defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import type { Exit } from '../../program/exit-codes.ts'
import { requiredText, textOr, toggle } from '../../program/flags.ts'
import { failUsage } from '../../program/problem.ts'
import { askAzure, askBitbucket, askGithub, askGitlab } from '../../pull-requests/hosts.ts'
import type { FindPullRequests } from '../../pull-requests/pull-request.ts'
import { readCommitInfo } from '../flags.ts'
import { ARTIFACT_ARGUMENT, ATTEST_FLAGS, type AttestValues, attest } from './attest.ts'

const ASSERT = toggle('exit with 4 if there is no pull request')

const requireToken = (host: string) =>
  requiredText(`a token of ${host} that may read pull requests`, { placeholder: '<token>' })

export const pullRequestAttestations = [
  defineCommand({
    words: ['attest', 'pullrequest', 'github'],
    also: [['attest', 'pr', 'github']],
    summary: 'record the pull requests of a commit on GitHub, with their reviews',
    args: [ARTIFACT_ARGUMENT],
    flags: {
      ...ATTEST_FLAGS,
      'github-token': requireToken('GitHub'),
      'github-base-url': textOr('the API of GitHub', 'https://api.github.com', { placeholder: '<url>' }),
      assert: ASSERT,
    },
    needs: 'org',
    operations: ['reportPullRequestAttestation'],
    is_recorded: true,
    examples: ['attest pullrequest github --name review --flow backend-ci'],
    run: ({ args, flags, context }) => {
      const ask = makeAskHost(context.exchange, {
        name: 'GitHub',
        flag: 'github-base-url',
        base_url: flags['github-base-url'],
        headers: { authorization: `Bearer ${flags['github-token']}`, 'user-agent': 'waybill' },
        timeout_ms: context.timeout_ms,
      })
      return attestPulls(
        { provider: 'github', find: askGithub(ask, requireRepository(flags)) },
        args.artifact,
        flags,
        context,
      )
    },
  }),
  defineCommand({
    words: ['attest', 'pullrequest', 'gitlab'],
    also: [['attest', 'pr', 'gitlab']],
    summary: 'record the merge requests of a commit on GitLab, with their approvals',
    args: [ARTIFACT_ARGUMENT],
    flags: {
      ...ATTEST_FLAGS,
      'gitlab-token': requireToken('GitLab'),
      'gitlab-base-url': textOr('the address of GitLab', 'https://gitlab.com', { placeholder: '<url>' }),
      assert: ASSERT,
    },
    needs: 'org',
    operations: ['reportPullRequestAttestation'],
    is_recorded: true,
    examples: ['attest pullrequest gitlab --name review --flow backend-ci'],
    run: ({ args, flags, context }) => {
      const ask = makeAskHost(context.exchange, {
        name: 'GitLab',
        flag: 'gitlab-base-url',
        base_url: flags['gitlab-base-url'],
        headers: { 'private-token': flags['gitlab-token'] },
        timeout_ms: context.timeout_ms,
      })
      return attestPulls(
        { provider: 'gitlab', find: askGitlab(ask, requireRepository(flags)) },
        args.artifact,
        flags,
        context,
      )
    },
  }),
  defineCommand({
    words: ['attest', 'pullrequest', 'bitbucket'],
    also: [['attest', 'pr', 'bitbucket']],
    summary: 'record the pull requests of a commit on Bitbucket, with their approvals',
    args: [ARTIFACT_ARGUMENT],
    flags: {
      ...ATTEST_FLAGS,
      'bitbucket-access-token': requireToken('Bitbucket'),
      'bitbucket-base-url': textOr('the API of Bitbucket', 'https://api.bitbucket.org', {
        placeholder: '<url>',
      }),
      assert: ASSERT,
    },
    needs: 'org',
    operations: ['reportPullRequestAttestation'],
    is_recorded: true,
    examples: ['attest pullrequest bitbucket --name review --flow backend-ci'],
    run: ({ args, flags, context }) => {
      const ask = makeAskHost(context.exchange, {
        name: 'Bitbucket',
        flag: 'bitbucket-base-url',
        base_url: flags['bitbucket-base-url'],
        headers: { authorization: `Bearer ${flags['bitbucket-access-token']}` },
        timeout_ms: context.timeout_ms,
      })
      const find = askBitbucket(ask, requireRepository(flags))
      return attestPulls({ provider: 'bitbucket', find }, args.artifact, flags, context)
    },
  }),
  defineCommand({
    words: ['attest', 'pullrequest', 'azure'],
    also: [['attest', 'pr', 'azure']],
    summary: 'record the pull requests of a commit on Azure DevOps, with their votes',
    args: [ARTIFACT_ARGUMENT],
    flags: {
      ...ATTEST_FLAGS,
      'azure-token': requireToken('Azure DevOps'),
      'azure-org-url': requiredText('the address of the organization', { placeholder: '<url>' }),
      project: requiredText('the project', { placeholder: '<name>' }),
      assert: ASSERT,
    },
    needs: 'org',
    operations: ['reportPullRequestAttestation'],
    is_recorded: true,
    examples: [
      'attest pullrequest azure --name review --azure-org-url https://dev.azure.com/acme --project shop --flow backend-ci',
    ],
    run: ({ args, flags, context }) => {
      const credentials = Buffer.from(`:${flags['azure-token']}`).toString('base64')
      const ask = makeAskHost(context.exchange, {
        name: 'Azure DevOps',
        flag: 'azure-org-url',
        base_url: flags['azure-org-url'],
        headers: { authorization: `Basic ${credentials}` },
        timeout_ms: context.timeout_ms,
      })
      const find = askAzure(ask, flags.project, requireRepository(flags), flags['azure-org-url'])
      return attestPulls({ provider: 'azure-devops', find }, args.artifact, flags, context)
    },
  }),
]

interface Source {
  provider: string
  find: FindPullRequests
}

/** "No pull request" is recorded too: the service decides that it is not compliant. */
async function attestPulls(
  { provider, find }: Source,
  artifact: string | undefined,
  flags: AttestValues & { assert: boolean },
  context: Context,
): Promise<Exit> {
  if (flags.commit === undefined)
    failUsage('--commit is missing: the commit whose pull requests are recorded')
  const sha1 = (await readCommitInfo(flags, context))?.sha1 ?? flags.commit
  const pull_requests = await find(sha1)
  const exit = await attest(
    { kind: 'pull_request', label: 'pull requests', fields: { git_provider: provider, pull_requests } },
    artifact,
    flags,
    context,
  )
  if (pull_requests.length > 0 || exit !== 'done') return exit
  const line = `There is no pull request for ${sha1}`
  context.output.say(line)
  reportVerdict(context.report, { line, verdict: flags.assert ? 'no' : 'unknown', reasons: [] })
  return flags.assert ? 'no' : 'done'
}

function requireRepository({ repository }: AttestValues): string {
  return repository ?? failUsage('--repository is missing: the name of the repository, such as acme/backend')
}
