// The events of a trail, newest first.
import { Card, Text, Timeline, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { AttestationLink, SnapshotLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { describeState, toState } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { trailTexts as texts } from './texts-trail.ts'

interface TrailProps {
  org: string
  trail: Schemas['Trail']
}

type TrailEvent = Schemas['TrailEvent']

export function TrailTimeline({ org, trail }: TrailProps) {
  const events = trail.events.toReversed()
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="sm">
        {texts.timeline.title}
      </Title>
      {trail.events_count > events.length && (
        <Text size="sm" c="dimmed" mb="sm">
          {texts.timeline.newest(events.length, trail.events_count)}
        </Text>
      )}
      <Timeline bulletSize={14} lineWidth={2} role="list">
        {events.map(event => (
          <Timeline.Item key={buildKey(event)} color={getColour(event)} role="listitem">
            <Text size="sm" className="long-name">
              <Sentence org={org} trail={trail} event={event} />
            </Text>
            <Text size="xs" c="dimmed">
              <RelativeTime at={event.timestamp} />
              {texts.timeline.by(event.user)}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Card>
  )
}

const buildKey = (event: TrailEvent) =>
  [
    event.type,
    event.timestamp,
    event.attestation_id,
    event.artifact_id,
    event.environment_name,
    event.approval_number,
  ].join(' ')

function getColour(event: TrailEvent): string {
  if (event.is_compliant === true) return 'green'
  if (event.is_compliant === false) return 'red'
  return event.type.startsWith('artifact_st') ? 'blue' : 'gray'
}

const toText = (value: unknown) => (typeof value === 'string' ? value : '')

function Sentence({ org, trail, event }: TrailProps & { event: TrailEvent }): ReactNode {
  switch (event.type) {
    case 'trail_reported':
      return texts.timeline.trailStarted
    case 'trail_updated':
      return texts.timeline.trailUpdated(listChanges(event))
    case 'artifact_creation_reported':
      return texts.timeline.artifactReported(
        toText(event.artifact_name) || toText(event.template_reference_name),
      )
    case 'artifact_started_running':
    case 'artifact_stopped_running':
      return (
        <>
          {toText(event.template_reference_name) || texts.timeline.theArtifact}{' '}
          {event.type === 'artifact_started_running' ? texts.timeline.startedIn : texts.timeline.stoppedIn}{' '}
          <SnapshotLink
            org={org}
            environment={toText(event.environment_name)}
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
            attestation_id={toText(event.attestation_id)}
          >
            {toText(event.template_reference_name)}
          </AttestationLink>{' '}
          {texts.timeline.attestationReported(
            toText(event.attestation_type),
            toText(event.target_artifact),
            describeState(toState(event.is_compliant === true)),
          )}
        </>
      )
    case 'control_decision_expired':
      return (
        <>
          <AttestationLink
            org={org}
            flow={trail.flow_name}
            trail={trail.name}
            attestation_id={toText(event.decision_id)}
          >
            {toText(event.template_reference_name)}
          </AttestationLink>{' '}
          {texts.timeline.decisionExpired(toText(event.identifier))}
        </>
      )
    case 'approval_created':
      return texts.timeline.approvalRecorded(Number(event.approval_number), toText(event.state))
    default:
      return event.type.replaceAll('_', ' ')
  }
}

function listChanges({ changes }: TrailEvent): string[] {
  return Array.isArray(changes) ? changes.filter(each => typeof each === 'string') : []
}
