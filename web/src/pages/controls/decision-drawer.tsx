// The drawer with one decision: its subject, the version of the control and its evidence. Its id is in the URL.
import { Alert, Anchor, Drawer, Group, List, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { buildApiPath } from '../../parts/curl.ts'
import { DecisionBadge, DecisionExpiry } from '../../parts/decision-expiry.tsx'
import { ArtifactLink, AttestationLink, CommitLink, FlowLink, TrailLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { Copy } from '../../ui/command.tsx'
import { Details } from '../../ui/details.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { RawJson } from '../../ui/raw-json.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { decisionQuery } from './queries.ts'
import { parseControlSearch } from './search.ts'
import { controlTexts as texts } from './texts.ts'

const FROM = '/$org/controls/$identifier'

interface Place {
  org: string
  identifier: string
}

type Decision = Schemas['ControlDecisionDetail']

export function DecisionDrawer({ org, identifier }: Place) {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const close = () =>
    void navigate({ search: parseControlSearch({ ...search, decision: undefined }), resetScroll: false })
  return (
    <Drawer
      opened={search.decision !== undefined}
      onClose={close}
      position="right"
      size="xl"
      title={texts.decision.title}
      closeButtonProps={{ 'aria-label': texts.decision.close }}
    >
      {search.decision !== undefined && (
        <OpenDecision org={org} identifier={identifier} decision_id={search.decision} />
      )}
    </Drawer>
  )
}

function OpenDecision({ org, identifier, decision_id }: Place & { decision_id: string }) {
  const decision = useQuery(decisionQuery(org, identifier, decision_id))
  if (decision.isPending) return <Loading />
  if (decision.error) return <ErrorAlert error={decision.error} />
  return (
    <Stack>
      <Group justify="space-between" align="start">
        <Title order={2} size="h3" className="fingerprint">
          {decision.data.attestation_name}
        </Title>
        <DecisionBadge {...decision.data} />
      </Group>
      {decision.data.description !== null && <Text>{decision.data.description}</Text>}
      <Violations data={decision.data.attestation_data} />
      <Facts rows={listFacts({ org, identifier, decision: decision.data })} />
      <Details title={texts.decision.data}>
        <RawJson value={decision.data.attestation_data} />
      </Details>
    </Stack>
  )
}

type Rows = (readonly [string, ReactNode])[]

function listFacts({ org, identifier, decision }: Place & { decision: Decision }): Rows {
  const { flow_name: flow, trail_name: trail, git_commit_info: commit } = decision
  return [
    [texts.decision.flow, <FlowLink key="flow" org={org} flow={flow} />],
    [texts.decision.trail, <TrailLink key="trail" org={org} flow={flow} trail={trail} />],
    [texts.decision.about, <Subject key="about" org={org} decision={decision} />],
    [
      texts.decision.control,
      <ControlVersion key="control" org={org} identifier={identifier} decision={decision} />,
    ],
    [texts.decision.reportedBy, decision.created_by],
    [texts.decision.reported, <RelativeTime key="at" at={decision.created_at} />],
    ...listValidity(decision),
    [texts.decision.commit, commit && <CommitLink key="commit" sha={commit.sha1} url={commit.url} />],
    [texts.decision.origin, decision.origin_url && <ExternalLink key="origin" href={decision.origin_url} />],
    ...listPlainFacts(decision.attestation_data),
    ...Object.entries(decision.external_urls).map(
      ([label, { href }]) => [label, <ExternalLink key={label} href={href} />] as const,
    ),
    ...Object.entries(decision.annotations),
    [texts.decision.evidence, <Attachment key="evidence" org={org} decision={decision} />],
    [
      texts.decision.attestation,
      <AttestationLink key="attestation" org={org} flow={flow} trail={trail} attestation_id={decision.id}>
        {decision.attestation_name}
      </AttestationLink>,
    ],
  ]
}

/** The verdict is shown too if the badge says that the decision has expired. */
function listValidity({ expires_at, is_compliant }: Decision): Rows {
  if (expires_at === null) return [[texts.decision.expiry, texts.decision.never]]
  return [
    [texts.decision.verdict, is_compliant ? texts.decisions.compliant : texts.decisions.nonCompliant],
    [texts.decision.expiry, <DecisionExpiry key="expiry" expires_at={expires_at} />],
  ]
}

/** Simple values such as `decided_by`, without the verdict. */
function listPlainFacts(data: Record<string, unknown>): Rows {
  return Object.entries(data)
    .filter(([key, value]) => key !== 'is_compliant' && typeof value !== 'object')
    .map(([key, value]) => [key, String(value)] as const)
}

function Violations({ data }: { data: Record<string, unknown> }) {
  const violations = Array.isArray(data.violations) ? data.violations : []
  if (violations.length === 0) return null
  const sentences = violations.map(each => (typeof each === 'string' ? each : JSON.stringify(each)))
  return (
    <Alert color="red" title={texts.decision.violations}>
      <List size="sm">
        {[...new Set(sentences)].map(sentence => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </Alert>
  )
}

function Subject({ org, decision }: { org: string; decision: Decision }) {
  const { artifact_name, artifact_fingerprint: fingerprint, flow_name, target_artifacts } = decision
  if (fingerprint === null)
    return target_artifacts.length > 0
      ? texts.decision.aboutArtifacts(target_artifacts.join(texts.decision.or))
      : texts.decision.aboutTrail
  return (
    <Stack gap={4} align="start">
      <ArtifactLink org={org} flow={flow_name} fingerprint={fingerprint}>
        {artifact_name}
      </ArtifactLink>
      <Text size="sm" className="fingerprint">
        {fingerprint}
      </Text>
      <Copy value={fingerprint} what={texts.decision.copyFingerprint} />
    </Stack>
  )
}

function ControlVersion({ org, identifier, decision }: Place & { decision: Decision }) {
  if (decision.control_version === null) return texts.decision.beforeCreation(identifier)
  return (
    <PageLink to={FROM} params={{ org, identifier }} search={{ tab: 'versions' }}>
      {texts.decision.controlVersion(identifier, decision.control_version)}
    </PageLink>
  )
}

function Attachment({ org, decision }: { org: string; decision: Decision }) {
  if (decision.evidence_archive_fingerprint === null) return texts.decision.noAttachment
  const { flow_name, trail_name, id } = decision
  return (
    <Anchor
      inherit
      href={buildApiPath('attestations', org, flow_name, 'trail', trail_name, 'attestation', id, 'evidence')}
      download
    >
      {texts.decision.downloadAttachment}
    </Anchor>
  )
}
