// An environment before its first report.
import { Empty } from '../../ui/states.tsx'
import type { Environment } from './answers.ts'
import { reportCommand } from './report-command.ts'

export function NothingReported({ environment }: { environment: Environment }) {
  // Nothing can be reported to what is archived.
  if (environment.archived) return <Empty title="Nothing was ever reported" />
  return (
    <Empty title="Nothing was reported yet" command={reportCommand(environment.org, environment)}>
      The first report makes the first snapshot.
    </Empty>
  )
}
