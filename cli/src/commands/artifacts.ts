// Artifacts that flows built. Reporting an artifact is in attest/, because it records evidence.
import type { Schemas } from '../api-types.ts'
import { formatFields, formatTime } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { text } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { optionalFlow, PAGE_FLAGS } from './flags.ts'
import { readAndList } from './list.ts'
import { readAndShow } from './read.ts'

type Artifact = Schemas['Artifact']

export const artifactCommands = [
  defineCommand({
    words: ['get', 'artifact'],
    summary: 'show an artifact of a flow',
    args: [argument('artifact', 'flow@fingerprint, or flow:commit')],
    flags: { trail: text('only in this trail', { short: 't', placeholder: '<trail>' }) },
    needs: 'org',
    operations: ['getArtifactByFingerprint', 'getArtifactsByCommit'],
    examples: ['get artifact backend-ci@b5bb9d80', 'get artifact backend-ci:4f2c1d0'],
    run: ({ args: { artifact = '' }, flags, context }) => showArtifact(context, artifact, flags.trail),
  }),
  defineCommand({
    words: ['list', 'artifacts'],
    also: [['list', 'artifact']],
    summary: 'list artifacts, the newest first',
    args: [],
    flags: {
      ...PAGE_FLAGS,
      flow: { ...optionalFlow, short: 'f' },
      repo: text('only of this repository', { placeholder: '<owner/name>' }),
      name: text('only names with this text', { placeholder: '<text>' }),
      state: text('only in this state', { choices: ['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'] }),
    },
    needs: 'org',
    operations: ['listArtifacts'],
    examples: ['list artifacts --flow backend-ci', 'list artifacts --repo acme/backend'],
    run: ({ flags, context }) =>
      readAndList<Artifact>(
        context,
        {
          template: '/artifacts/{org}',
          query: {
            page: flags.page,
            per_page: flags['page-limit'],
            flow_name: flags.flow,
            repo_name: flags.repo,
            search_by_name: flags.name,
            state: flags.state,
          },
        },
        {
          head: ['NAME', 'FINGERPRINT', 'FLOW', 'TRAIL', 'COMMIT', 'STATE', 'REPORTED'],
          toRow: found => [
            found.filename,
            found.fingerprint.slice(0, 12),
            found.flow_name,
            found.trail_name,
            found.git_commit.slice(0, 7),
            found.state,
            formatTime(found.created_at),
          ],
          toName: ({ fingerprint }) => fingerprint,
          nothing: 'No artifacts',
        },
      ),
  }),
]

function showArtifact(context: Context, notation: string, trail: string | undefined): Promise<undefined> {
  const [, flow_name = '', separator, value = ''] = /^([^@:]+)([@:])(.+)$/.exec(notation) ?? []
  if (separator === undefined)
    failUsage(`"${notation}" names no artifact`, 'Write flow@fingerprint, or flow:commit.')
  const place =
    separator === '@'
      ? {
          template: '/artifacts/{org}/{flow_name}/fingerprint/{fingerprint}',
          params: { flow_name, fingerprint: value },
        }
      : { template: '/artifacts/{org}/{flow_name}/commit_sha/{sha}', params: { flow_name, sha: value } }
  return readAndShow<Artifact | Artifact[]>(context, { ...place, query: { trail } }, found => {
    const all = [found].flat()
    return { names: all.map(({ fingerprint }) => fingerprint), text: all.map(describeArtifact).join('\n\n') }
  })
}

function describeArtifact(found: Artifact): string {
  const places = (where: Artifact['running']) =>
    where.map(({ environment_name, snapshot_index }) => `${environment_name}#${snapshot_index}`).join(', ')
  return formatFields([
    ['Name', found.filename],
    ['Fingerprint', found.fingerprint],
    ['Flow', found.flow_name],
    ['Trail', found.trail_name],
    ['State', found.state],
    ['Commit', found.git_commit],
    ['Commit page', found.commit_url],
    ['Build', found.build_url],
    ['Reported', `${formatTime(found.created_at)} by ${found.created_by}`],
    ['Runs in', places(found.running)],
    ['Ran in', places(found.exited)],
    ['Page', found.html_url],
  ])
}
