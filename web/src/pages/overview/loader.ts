// The requests that the overview sends before it appears. Separate from those of other pages, because it is
// usually opened first and does not need their code.
import { need, type PagePlace } from '../../page-place.ts'
import { maySee } from '../../parts/use-role.ts'
import {
  attentionQuery,
  deploymentsOfLastDayQuery,
  ruleChangesQuery,
  shownEnvironmentsQuery,
  timelinesQuery,
} from './queries.ts'

export const loadOverview = ({ org, role }: PagePlace): Promise<unknown>[] => [
  loadEnvironments(org),
  need(deploymentsOfLastDayQuery(org)),
  need(attentionQuery(org)),
  ...(maySee(role, 'admin') ? [need(ruleChangesQuery(org))] : []),
]

async function loadEnvironments(org: string): Promise<void> {
  const { environments } = await need(shownEnvironmentsQuery(org))
  if (environments.length > 0) await need(timelinesQuery(org, environments))
}
