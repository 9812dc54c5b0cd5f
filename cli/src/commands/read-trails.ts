// Commands that read trails; trails.ts creates them.
import type { Schemas } from '../api-types.ts'
import { formatFields, formatTime } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import { text } from '../program/flags.ts'
import { flow, optionalFlow, PAGE_FLAGS } from './flags.ts'
import { readAndList } from './list.ts'
import { readAndShow } from './read.ts'
import { describeReasons } from './reasons.ts'
import { describeEvidence, writeTrailMarkdown } from './trail-text.ts'

type Trail = Schemas['Trail']

export const readTrailCommands = [
  defineCommand({
    words: ['get', 'trail'],
    summary: 'show a trail, its evidence and what it lacks',
    args: [argument('name', 'the name of the trail')],
    flags: { flow: { ...flow, short: 'f' } },
    needs: 'org',
    operations: ['getTrail'],
    examples: [
      'get trail 4f2c1d0 --flow backend-ci',
      'get trail 4f2c1d0 --flow backend-ci --output markdown',
    ],
    run: ({ args: { name = '' }, flags, context }) =>
      readAndShow<Trail>(
        context,
        {
          template: '/trails/{org}/{flow_name}/{trail_name}',
          params: { flow_name: flags.flow, trail_name: name },
        },
        found => ({ names: [found.name], text: describeTrail(found), markdown: writeTrailMarkdown(found) }),
      ),
  }),
  defineCommand({
    words: ['list', 'trails'],
    also: [['list', 'trail']],
    summary: 'list trails, the newest first',
    args: [],
    flags: {
      ...PAGE_FLAGS,
      flow: { ...optionalFlow, short: 'f' },
      fingerprint: text('only trails with this artifact', { short: 'F', placeholder: '<sha256>' }),
      'flow-tag': text('only trails of flows with this tag', { short: 't', placeholder: '<key=value>' }),
      name: text('only names with this text', { placeholder: '<text>' }),
      state: text('only in this state', { choices: ['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'] }),
    },
    needs: 'org',
    operations: ['listTrails'],
    examples: ['list trails --flow backend-ci --state NON-COMPLIANT'],
    run: ({ flags, context }) =>
      readAndList<Schemas['TrailSummary']>(
        context,
        {
          template: '/trails/{org}',
          query: {
            page: flags.page,
            per_page: flags['page-limit'],
            flow: flags.flow,
            fingerprint: flags.fingerprint,
            flow_tag: flags['flow-tag'],
            search_by_name: flags.name,
            state: flags.state,
          },
        },
        {
          head: ['NAME', 'FLOW', 'STATE', 'BEGAN', 'DESCRIPTION'],
          toRow: found => [
            found.name,
            found.flow_name,
            found.compliance_state,
            formatTime(found.created_at),
            found.description,
          ],
          toName: ({ name }) => name,
          nothing: 'No trails',
        },
      ),
  }),
]

function describeTrail(found: Trail): string {
  const { compliance_status: status, git_commit_info: commit, name: trail_name, flow_name } = found
  const reasons = status.reasons.map(reason => ({ ...reason, flow_name, trail_name }))
  return [
    formatFields([
      ['Name', found.name],
      ['Flow', found.flow_name],
      ['State', found.compliance_state],
      ['Description', found.description],
      ['Commit', commit === null ? null : `${commit.sha1 ?? ''} ${commit.message?.split('\n', 1)[0] ?? ''}`],
      ['Origin', found.origin_url],
      ['Began', `${formatTime(found.created_at)} by ${found.created_by}`],
      ['Page', found.html_url],
    ]),
    ...describeEvidence(status),
    ...(reasons.length === 0 ? [] : ['', describeReasons(reasons)]),
  ].join('\n')
}
