// Reports of an environment that arrived after newer ones: recorded, and never what runs now.
import type { Schemas } from '../api-types.ts'
import { formatRows } from '../print/output.ts'
import { formatTime } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { numberOr } from '../program/flags.ts'
import { read } from './read.ts'

type Event = Schemas['AuditEvents']['events'][number]

interface LateReport {
  observed_at?: number
  newest_at?: number
  artifact_count?: number
  missing?: string[]
  reporter?: { name?: string; version?: string }
}

const LARGEST_PAGE = 100

export const lateReportCommands = [
  defineCommand({
    words: ['list', 'late-reports'],
    also: [['list', 'late-report']],
    summary: 'list reports of an environment that arrived after newer ones',
    details:
      'Such a report is recorded and changes nothing. Reads the events of the organization, so it needs the role admin or auditor.',
    args: [argument('environment', 'the environment')],
    flags: { 'page-limit': numberOr('how many', 15, { min: 1, max: 500, short: 'n' }) },
    needs: 'org',
    operations: ['listAuditEvents', 'getEnvironment'],
    examples: ['list late-reports production'],
    run: async ({ args: { environment = '' }, flags, context }) => {
      // An environment that does not exist is an error, not an empty list.
      await read(context, { template: '/environments/{org}/{env_name}', params: { env_name: environment } })
      const events = await readEvents(context, environment, flags['page-limit'])
      await context.output.show({
        json: events,
        names: events.map(({ id }) => id),
        text: formatRows(
          ['OBSERVED', 'RECEIVED', 'NEWEST THEN', 'ARTIFACTS', 'MISSING', 'REPORTER', 'BY'],
          events.map(toRow),
          `No late reports of ${environment}`,
        ),
      })
    },
  }),
]

function toRow({ timestamp, actor, data }: Event) {
  const { observed_at, newest_at, artifact_count, missing = [], reporter } = data as LateReport
  return [
    formatTime(observed_at),
    formatTime(timestamp),
    formatTime(newest_at),
    artifact_count,
    missing.join(', ') || 'nothing',
    reporter === undefined ? undefined : [reporter.name, reporter.version].filter(Boolean).join(' '),
    actor,
  ]
}

/** A page can be short before the end. */
async function readEvents(context: Context, environment_name: string, limit: number): Promise<Event[]> {
  const events: Event[] = []
  let cursor: string | undefined
  do {
    const { json } = await read(context, {
      template: '/audit-events/{org}',
      query: {
        kind: 'environment_late_report',
        environment_name,
        per_page: Math.min(limit - events.length, LARGEST_PAGE),
        cursor,
      },
    })
    const page = json as Schemas['AuditEvents']
    events.push(...page.events)
    cursor = page.next ?? undefined
  } while (cursor !== undefined && events.length < limit)
  return events
}
