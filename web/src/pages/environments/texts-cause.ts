// Every text about what caused a snapshot.
import { formatCount } from '../../ui/format-count.ts'

export const causeTexts = {
  /** Follows `after`. */
  sentence: {
    report: 'a report',
    evidence: 'new evidence',
    policies: 'a change of policies',
    'allow-list': 'a change of the allow-list',
    members: 'a change of the environments it combines',
    'expired-decision': 'a decision expired',
  } as Record<string, string>,
  /** Stands alone in a cell. */
  cell: {
    report: 'Report',
    evidence: 'New evidence',
    policies: 'Policies changed',
    'allow-list': 'Allow-list changed',
    members: 'Members changed',
    'expired-decision': 'A decision expired',
  } as Record<string, string>,
  onControls: (cause: string, controls: string) => `${cause} (${controls})`,
  expired: {
    decision: 'Decision',
    nameless: '(several)',
    onControl: 'on control',
    expired: 'expired',
    more: (count: number) => `and ${formatCount(count, 'more decision')}`,
  },
}
