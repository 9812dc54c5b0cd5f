// Finds artifacts by a commit, a fingerprint or a prefix of either.
import type { Schemas } from '../api-types.ts'
import { formatTable, formatTime } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import { readAndShow } from './read.ts'

type Found = Schemas['ShaFound']

export const searchCommands = [
  defineCommand({
    words: ['search'],
    also: [['se']],
    summary: 'find artifacts by a commit or a fingerprint, or the beginning of one',
    args: [argument('sha', 'the commit or fingerprint')],
    flags: {},
    needs: 'org',
    operations: ['searchBySha'],
    examples: ['search 4f2c1d0'],
    run: ({ args: { sha = '' }, context }) =>
      readAndShow<Found>(
        context,
        { template: '/search/{org}/sha/{value}', params: { value: sha } },
        found => ({
          names: found.artifacts.map(({ fingerprint }) => fingerprint),
          text: describeFound(found),
        }),
      ),
  }),
]

function describeFound({ resolved_to, artifacts, artifacts_count }: Found): string {
  const head = ['NAME', 'FINGERPRINT', 'FLOW', 'COMMIT', 'STATE', 'RUNS IN', 'LAST EVENT']
  const rows = artifacts.map(found => {
    const last = found.history.at(-1)
    return [
      found.name,
      found.fingerprint.slice(0, 12),
      found.flow,
      found.git_commit.slice(0, 7),
      found.compliance_state,
      found.running_in.join(', '),
      last === undefined ? undefined : `${formatTime(last.timestamp)} ${last.event}`,
    ]
  })
  const isAmbiguous = resolved_to.type === 'ambiguous'
  return [
    isAmbiguous
      ? 'Several match: give more characters.'
      : `The ${resolved_to.type} is ${resolved_to.full_match}`,
    ...(rows.length === 0 ? ['No artifacts'] : [formatTable([head, ...rows])]),
    ...(artifacts_count > artifacts.length ? [`${artifacts_count} in all`] : []),
  ].join('\n')
}
