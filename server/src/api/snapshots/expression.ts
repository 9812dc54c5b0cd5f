// From a parsed expression to what the database is asked for.
import type { SnapshotExpression } from '../../domain/snapshot/expression.ts'
import type { Wanted } from './store.ts'

export function wantedBy(expression: SnapshotExpression): Wanted {
  if (expression.kind === 'at') return { index: null, behind: null, moment: expression.moment }
  if (expression.kind === 'behind') return { index: null, behind: expression.behind, moment: null }
  const { index } = expression
  return index > 0 ? { index, behind: null, moment: null } : { index: null, behind: -index - 1, moment: null }
}
