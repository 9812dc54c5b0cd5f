// Late reports: environment reports that arrived after newer ones. They are recorded, but never become the
// current state.
import type { Schemas } from '../api-types.ts'
import { formatTime } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import { PAGE_FLAGS } from './flags.ts'
import { readAndList } from './list.ts'

type LateReport = Schemas['LateReportList'][number]

export const lateReportCommands = [
  defineCommand({
    words: ['list', 'late-reports'],
    also: [['list', 'late-report']],
    summary: 'list reports of an environment that arrived after newer ones',
    details: 'Such a report is recorded and changes nothing.',
    args: [argument('environment', 'the environment')],
    flags: PAGE_FLAGS,
    needs: 'org',
    operations: ['listLateReports'],
    examples: ['list late-reports production'],
    run: ({ args: { environment = '' }, flags, context }) =>
      readAndList<LateReport>(
        context,
        {
          template: '/environments/{org}/{env_name}/late-reports',
          params: { env_name: environment },
          query: { page: flags.page, per_page: flags['page-limit'] },
        },
        {
          head: ['OBSERVED', 'RECEIVED', 'NEWEST THEN', 'ARTIFACTS', 'MISSING', 'REPORTER', 'BY'],
          toRow,
          toName: ({ id }) => id,
          nothing: `No late reports of ${environment}`,
        },
      ),
  }),
]

function toRow(late: LateReport) {
  const { observed_at, received_at, newest_at, artifact_count, missing, reporter, reported_by } = late
  return [
    formatTime(observed_at),
    formatTime(received_at),
    formatTime(newest_at),
    artifact_count,
    missing.join(', ') || 'nothing',
    reporter === null ? undefined : [reporter.name, reporter.version].filter(Boolean).join(' '),
    reported_by,
  ]
}
