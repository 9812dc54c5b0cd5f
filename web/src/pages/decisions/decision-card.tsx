// A waiting decision: its subject, who requested it, when it expires, and what the reader can do.
import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sessionQuery } from '../../api.ts'
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
import { Details } from '../../ui/details.tsx'
import { Facts } from '../../ui/facts.tsx'
import { formatList } from '../../ui/format-list.ts'
import text_styles from '../../ui/text.module.css'
import { ConfirmDecision } from './confirm-decision.tsx'
import { EndButton } from './end-button.tsx'
import { buildCommand, explainWhyNotSendable } from './request.ts'
import { decisionTexts as texts } from './texts.ts'

interface DecisionProps {
  org: string
  decision: WaitingDecision
}

type Settings = Schemas['Organization']['settings']

export function DecisionCard({ org, decision, settings }: DecisionProps & { settings: Settings }) {
  const title = getTitle(decision)
  return (
    <Card withBorder component="section" aria-label={title}>
      <Stack gap="sm">
        <Title order={2} size="h3">
          {title}
        </Title>
        <Facts
          rows={[
            ...listSubjectRows(org, decision),
            [
              texts.card.reason,
              <span key="reason" className={text_styles.whole}>
                {decision.reason}
              </span>,
            ],
            [
              texts.card.requested,
              <span key="requested">
                {texts.card.requestedBy(decision.asked_by)} <RelativeTime at={decision.created_at} />
              </span>,
            ],
            [
              texts.card.lapsed,
              decision.lapsed_request && (
                <span key="lapsed" className={text_styles.whole}>
                  {describeLapsed(decision.lapsed_request)}
                </span>
              ),
            ],
            [
              texts.card.expires,
              <span key="expires">
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

const describeLapsed = ({ asked_by, reason, lapse_reason }: Schemas['LapsedRequest']) =>
  texts.card.lapsedRequest(asked_by, reason, lapse_reason)

function getTitle(decision: WaitingDecision): string {
  const { kind, subject } = readDecision(decision)
  if (kind === 'allow') return texts.card.allow(subject.artifact_name, subject.environment_name)
  return texts.card.override(subject.attestation_name)
}

function listSubjectRows(org: string, decision: WaitingDecision): [string, ReactNode][] {
  const { kind, subject } = readDecision(decision)
  if (kind === 'allow') {
    return [
      [
        texts.card.environment,
        <EnvironmentLink key="environment" org={org} environment={subject.environment_name} />,
      ],
      [texts.card.artifact, subject.artifact_name],
      [
        texts.card.fingerprint,
        <span key="fingerprint" className="fingerprint">
          {subject.artifact_fingerprint}
        </span>,
      ],
      [
        texts.card.allowedUntil,
        subject.expires_at === null ? texts.card.noExpiry : <ExactTime key="end" at={subject.expires_at} />,
      ],
    ]
  }
  const { flow_name: flow, trail_name: trail, artifact_fingerprint, target_artifacts } = subject
  return [
    [
      texts.card.willCountAs,
      <StateBadge by="evidence" key="state" state={toState(subject.new_compliance_status)} />,
    ],
    [
      texts.card.attestation,
      <span key="attestation">
        {subject.attestation_name}, <AttestationTypeLink org={org} type={subject.original_attestation_type} />
      </span>,
    ],
    [
      texts.card.artifact,
      artifact_fingerprint === null ? (
        target_artifacts.join(', ')
      ) : (
        <ArtifactLink key="artifact" org={org} flow={flow} fingerprint={artifact_fingerprint} />
      ),
    ],
    [
      texts.card.trail,
      <span key="trail">
        <TrailLink org={org} flow={flow} trail={trail} /> {texts.card.ofFlow}{' '}
        <FlowLink org={org} flow={flow} />
      </span>,
    ],
  ]
}

/** The person who requested it can withdraw it; others can confirm or reject it. */
function Decide({ org, decision, settings }: DecisionProps & { settings: Settings }) {
  const { data: session } = useQuery(sessionQuery)
  const { isMember, hasRole } = useRole(org)
  const { decision_role = 'member', decision_groups = [] } = settings ?? {}
  const name = describeDecision(decision)
  const why = explainWhyNotSendable(decision)
  if (decision.asked_by === session?.user) {
    return (
      <>
        <Text size="sm" c="dimmed">
          {texts.decide.ownRequest}
        </Text>
        <Group>
          <EndButton
            org={org}
            decision={decision}
            label={texts.decide.withdraw}
            toast={texts.decide.withdrew(name)}
          />
        </Group>
      </>
    )
  }
  const canConfirm = hasRole(decision_role)
  return (
    <>
      {canConfirm ? (
        why !== undefined && <Text size="sm">{texts.decide.notFromHere(why)}</Text>
      ) : (
        <Text size="sm" c="dimmed">
          {texts.decide.onlyRoles(formatRolesFrom(decision_role))}
        </Text>
      )}
      {canConfirm && decision_groups.length > 0 && (
        <Text size="sm" c="dimmed">
          {texts.decide.onlyGroups(formatList(decision_groups), decision_groups.length)}
        </Text>
      )}
      {isMember && (
        <Group gap="xs">
          {canConfirm && why === undefined && <ConfirmDecision org={org} decision={decision} />}
          <EndButton
            org={org}
            decision={decision}
            label={texts.decide.reject}
            toast={texts.decide.rejected(name)}
          />
        </Group>
      )}
      {canConfirm && (
        <Details title={texts.decide.request}>
          <Command command={buildCommand(org, decision)} />
        </Details>
      )}
    </>
  )
}
