// What has happened on a trail, newest first: begun, proven, built, started, stopped.
import { Card, Text, Timeline, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { AttestationLink, SnapshotLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'

interface TrailProps {
  org: string
  trail: Schemas['Trail']
}

type TrailEvent = Schemas['TrailEvent']

export function LifeStory({ org, trail }: TrailProps) {
  const events = trail.events.toReversed()
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="sm">
        Life story
      </Title>
      {trail.events_count > events.length && (
        <Text size="sm" c="dimmed" mb="sm">
          The newest {events.length.toLocaleString('en')} of {trail.events_count.toLocaleString('en')} events.
        </Text>
      )}
      <Timeline bulletSize={14} lineWidth={2} role="list">
        {events.map(event => (
          <Timeline.Item key={keyOf(event)} color={colourOf(event)} role="listitem">
            <Text size="sm" className="long-name">
              <Sentence org={org} trail={trail} event={event} />
            </Text>
            <Text size="xs" c="dimmed">
              <RelativeTime at={event.timestamp} /> by {event.user}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Card>
  )
}

const keyOf = (event: TrailEvent) =>
  [
    event.type,
    event.timestamp,
    event.attestation_id,
    event.artifact_id,
    event.environment_name,
    event.approval_number,
  ].join(' ')

function colourOf(event: TrailEvent): string {
  if (event.is_compliant === true) return 'green'
  if (event.is_compliant === false) return 'red'
  return event.type.startsWith('artifact_st') ? 'blue' : 'gray'
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')

function Sentence({ org, trail, event }: TrailProps & { event: TrailEvent }): ReactNode {
  switch (event.type) {
    case 'trail_reported':
      return 'The trail began'
    case 'trail_updated':
      return <>The trail was changed{changesOf(event)}</>
    case 'artifact_creation_reported':
      return `Artifact ${text(event.artifact_name) || text(event.template_reference_name)} was reported`
    case 'artifact_started_running':
    case 'artifact_stopped_running':
      return (
        <>
          {text(event.template_reference_name) || 'The artifact'}{' '}
          {event.type === 'artifact_started_running' ? 'started' : 'stopped'} running in{' '}
          <SnapshotLink
            org={org}
            environment={text(event.environment_name)}
            index={Number(event.snapshot_index)}
          />
        </>
      )
    case 'trail_attestation_reported':
    case 'trail_attestation_for_artifact_reported':
    case 'artifact_attestation_reported':
      return (
        <>
          <AttestationLink
            org={org}
            flow={trail.flow_name}
            trail={trail.name}
            attestation_id={text(event.attestation_id)}
          >
            {text(event.template_reference_name)}
          </AttestationLink>{' '}
          ({text(event.attestation_type)}) was reported
          {text(event.target_artifact) && ` for ${text(event.target_artifact)}`}:{' '}
          {event.is_compliant === true ? 'COMPLIANT' : 'NON-COMPLIANT'}
        </>
      )
    case 'approval_created':
      return `Approval ${Number(event.approval_number)} was recorded: ${text(event.state)}`
    default:
      return event.type.replaceAll('_', ' ')
  }
}

function changesOf({ changes }: TrailEvent): string {
  if (!Array.isArray(changes)) return ''
  const names = changes.filter(each => typeof each === 'string')
  return names.length > 0 ? `: ${names.join(', ')}` : ''
}
