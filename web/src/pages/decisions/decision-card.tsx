// One decision that waits: what is decided, who asked and until when, and what whoever reads it can do about it.
import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, sessionQuery, unwrap } from '../../api.ts'
import {
  ArtifactLink,
  AttestationTypeLink,
  EnvironmentLink,
  FlowLink,
  TrailLink,
} from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge, toState } from '../../parts/state-badge.tsx'
import { ExactTime, RelativeTime } from '../../parts/time.tsx'
import { formatRolesFrom, useRole } from '../../parts/use-role.ts'
import { describeDecision, readDecision, type WaitingDecision } from '../../parts/waiting-decisions.tsx'
import { Command } from '../../ui/command.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Details } from '../../ui/details.tsx'
import { Facts } from '../../ui/facts.tsx'
import { formatList } from '../../ui/format-list.ts'
import text_styles from '../../ui/text.module.css'
import { useChange } from '../../ui/use-change.ts'
import { ConfirmDecision } from './confirm-decision.tsx'
import { commandOf, whyNotFromHere } from './request.ts'

interface DecisionProps {
  org: string
  decision: WaitingDecision
}

type Settings = Schemas['Organization']['settings']

export function DecisionCard({ org, decision, settings }: DecisionProps & { settings: Settings }) {
  const title = titleOf(decision)
  return (
    <Card withBorder component="section" aria-label={title}>
      <Stack gap="sm">
        <Title order={2} size="h3">
          {title}
        </Title>
        <Facts
          rows={[
            ...subjectRows(org, decision),
            [
              'Reason',
              <span key="reason" className={text_styles.whole}>
                {decision.reason}
              </span>,
            ],
            [
              'Asked',
              <span key="asked">
                by {decision.asked_by}, <RelativeTime at={decision.created_at} />
              </span>,
            ],
            [
              'Waits until',
              <span key="until">
                <ExactTime at={decision.expires_at} /> (<RelativeTime at={decision.expires_at} />)
              </span>,
            ],
          ]}
        />
        <Decide org={org} decision={decision} settings={settings} />
      </Stack>
    </Card>
  )
}

function titleOf(decision: WaitingDecision): string {
  const { kind, subject } = readDecision(decision)
  if (kind === 'allow') return `Allow ${subject.artifact_name} in ${subject.environment_name}`
  return `Override ${subject.attestation_name}`
}

function subjectRows(org: string, decision: WaitingDecision): [string, ReactNode][] {
  const { kind, subject } = readDecision(decision)
  if (kind === 'allow') {
    return [
      ['Environment', <EnvironmentLink key="environment" org={org} environment={subject.environment_name} />],
      ['Artifact', subject.artifact_name],
      [
        'Fingerprint',
        <span key="fingerprint" className="fingerprint">
          {subject.artifact_fingerprint}
        </span>,
      ],
      [
        'Allowed until',
        subject.expires_at === null ? 'no end' : <ExactTime key="end" at={subject.expires_at} />,
      ],
    ]
  }
  const { flow_name: flow, trail_name: trail, artifact_fingerprint, target_artifacts } = subject
  return [
    ['Will count as', <StateBadge key="state" state={toState(subject.new_compliance_status)} />],
    [
      'Attestation',
      <span key="attestation">
        {subject.attestation_name}, <AttestationTypeLink org={org} type={subject.original_attestation_type} />
      </span>,
    ],
    [
      'Artifact',
      artifact_fingerprint === null ? (
        target_artifacts.join(', ')
      ) : (
        <ArtifactLink key="artifact" org={org} flow={flow} fingerprint={artifact_fingerprint} />
      ),
    ],
    [
      'Trail',
      <span key="trail">
        <TrailLink org={org} flow={flow} trail={trail} /> of <FlowLink org={org} flow={flow} />
      </span>,
    ],
  ]
}

/** Whoever asked withdraws; the others confirm or reject. */
function Decide({ org, decision, settings }: DecisionProps & { settings: Settings }) {
  const { data: session } = useQuery(sessionQuery)
  const { isMember, hasRole } = useRole(org)
  const { decision_role = 'member', decision_groups = [] } = settings ?? {}
  const why = whyNotFromHere(decision)
  if (decision.asked_by === session?.user) {
    return (
      <>
        <Text size="sm" c="dimmed">
          You asked for this. Somebody else has to confirm it.
        </Text>
        <Group>
          <End org={org} decision={decision} label="Withdraw" said="Withdrew" />
        </Group>
      </>
    )
  }
  const mayConfirm = hasRole(decision_role)
  return (
    <>
      {mayConfirm ? (
        why !== undefined && <Text size="sm">This page cannot send it. {why}</Text>
      ) : (
        <Text size="sm" c="dimmed">
          Only {formatRolesFrom(decision_role)} can confirm it.
        </Text>
      )}
      {mayConfirm && decision_groups.length > 0 && (
        <Text size="sm" c="dimmed">
          Only people in {decision_groups.length === 1 ? 'the group' : 'one of the groups'}{' '}
          {formatList(decision_groups)} can confirm it.
        </Text>
      )}
      {isMember && (
        <Group gap="xs">
          {mayConfirm && why === undefined && <ConfirmDecision org={org} decision={decision} />}
          <End org={org} decision={decision} label="Reject" said="Rejected" />
        </Group>
      )}
      {mayConfirm && (
        <Details title="The request that confirms it">
          <Command command={commandOf(org, decision)} />
        </Details>
      )}
    </>
  )
}

function End({ org, decision, label, said }: DecisionProps & { label: string; said: string }) {
  const name = describeDecision(decision)
  const end = useChange(
    () =>
      unwrap(
        api.DELETE('/decisions/{org}/{decision_id}', { params: { path: { org, decision_id: decision.id } } }),
      ),
    { notice: `${said} ${name}` },
  )
  return (
    <ConfirmButton
      label={label}
      about={name}
      question="It is taken off this page and does not count. It can be asked for again."
      change={end}
      input={undefined}
    />
  )
}
