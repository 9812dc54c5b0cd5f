// The empty state of an environment before its first report.
import { Empty } from '../../ui/states.tsx'
import type { Environment } from './answers.ts'
import { buildReportCommand } from './report-command.ts'
import { historyTexts as texts } from './texts-history.ts'

export function NothingReported({ environment }: { environment: Environment }) {
  // An archived environment accepts no reports.
  if (environment.archived) return <Empty title={texts.noReports.archivedTitle} />
  return (
    <Empty title={texts.noReports.title} command={buildReportCommand(environment.org, environment)}>
      {texts.noReports.hint}
    </Empty>
  )
}
