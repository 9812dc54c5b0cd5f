// An event as a sentence. Names that have a page are links; everything is shown as text.
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import {
  ArtifactLink,
  AttestationLink,
  ControlLink,
  EnvironmentLink,
  FlowLink,
  PolicyLink,
  SnapshotLink,
  TrailLink,
} from './links.tsx'
import type { Schemas } from './schemas.ts'

export type AuditEvent = Schemas['AuditEvent']
type Part = AuditEvent['parts'][number]

export function EventSentence({ org, event }: { org: string; event: AuditEvent }) {
  const keyed = event.parts.map((part, index) => ({ key: `${index} ${part.text}`, part }))
  return (
    <Text component="span" inherit className="long-name">
      {keyed.map(({ key, part }) => (
        <LinkedPart key={key} org={org} part={part} event={event} />
      ))}
    </Text>
  )
}

interface PartProps {
  org: string
  part: Part
  event: AuditEvent
}

function LinkedPart({ org, part, event }: PartProps): ReactNode {
  const { text: children } = part
  const { flow_name: flow, trail_name: trail, environment_name: environment, data } = event
  const place = { org, children }
  switch (part.about) {
    case 'actor':
      return <strong>{children}</strong>
    case 'flow':
      return flow === null ? children : <FlowLink {...place} flow={flow} />
    case 'trail':
      return flow === null || trail === null ? children : <TrailLink {...place} flow={flow} trail={trail} />
    case 'artifact':
      return <ArtifactLink {...place} flow={flow} fingerprint={readText(data.artifact_fingerprint)} />
    case 'attestation': {
      const attestation_id = readText(data.attestation_id)
      if (flow === null || trail === null || attestation_id === '') return children
      return <AttestationLink {...place} flow={flow} trail={trail} attestation_id={attestation_id} />
    }
    case 'environment':
      return environment === null ? children : <EnvironmentLink {...place} environment={environment} />
    case 'snapshot': {
      const index = Number(data.snapshot_index)
      if (environment === null || !Number.isSafeInteger(index)) return children
      return <SnapshotLink {...place} environment={environment} index={index} />
    }
    case 'policy':
      return event.policy_name === null ? children : <PolicyLink {...place} policy={event.policy_name} />
    case 'control':
      return event.control === null ? children : <ControlLink {...place} identifier={event.control} />
    default:
      return children
  }
}

const readText = (value: unknown): string => (typeof value === 'string' ? value : '')
