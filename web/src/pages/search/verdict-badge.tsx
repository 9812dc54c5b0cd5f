// The verdict on what was found, in its one word.
import { Badge } from '@mantine/core'
import { ComplianceBadge } from '../../parts/compliance-badge.tsx'
import type { Verdict } from './hits.ts'

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  if (verdict === 'INCOMPLETE') {
    return (
      <Badge color="gray" variant="light">
        INCOMPLETE
      </Badge>
    )
  }
  return <ComplianceBadge compliant={verdict === 'UNKNOWN' ? null : verdict === 'COMPLIANT'} />
}
