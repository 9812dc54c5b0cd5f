// The expired decisions that caused a snapshot.
import { Text } from '@mantine/core'
import { AttestationLink, ControlLink } from '../../parts/links.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import type { SnapshotSummary } from './answers.ts'
import { causeTexts as texts } from './texts-cause.ts'

/** The artifacts' reasons name all of them. */
const SHOWN = 3

/** Renders nothing for a snapshot with another cause. */
export function ExpiredDecisions({ org, snapshot }: { org: string; snapshot: SnapshotSummary }) {
  const { expired_decisions: expired } = snapshot
  return (
    <>
      {expired.slice(0, SHOWN).map(decision => (
        <Text key={decision.id} size="sm" className="long-name">
          {texts.expired.decision} <DecisionLink org={org} decision={decision} />
          {decision.control !== null && (
            <>
              {' '}
              {texts.expired.onControl} <ControlLink org={org} identifier={decision.control} />
            </>
          )}{' '}
          {texts.expired.expired} <RelativeTime at={decision.expires_at} />
        </Text>
      ))}
      {expired.length > SHOWN && <Text size="sm">{texts.expired.more(expired.length - SHOWN)}</Text>}
    </>
  )
}

interface DecisionLinkProps {
  org: string
  decision: SnapshotSummary['expired_decisions'][number]
}

function DecisionLink({ org, decision }: DecisionLinkProps) {
  const { id, attestation_name, flow_name, trail_name } = decision
  const name = attestation_name ?? texts.expired.nameless
  if (flow_name === null || trail_name === null) return <>{name}</>
  return (
    <AttestationLink org={org} flow={flow_name} trail={trail_name} attestation_id={id}>
      {name}
    </AttestationLink>
  )
}
