// One decision beside the list of them: on what, by which version of the control, and what it rests on. Its id is in the
// address.
import { Alert, Anchor, Drawer, Group, List, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { buildApiPath } from '../../parts/curl.ts'
import { ArtifactLink, AttestationLink, CommitLink, FlowLink, TrailLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge, toState } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { Copy } from '../../ui/command.tsx'
import { Details } from '../../ui/details.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { RawJson } from '../../ui/raw-json.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { decisionQuery } from './queries.ts'
import { controlSearch } from './routes.ts'

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
    void navigate({ search: controlSearch({ ...search, decision: undefined }), resetScroll: false })
  return (
    <Drawer
      opened={search.decision !== undefined}
      onClose={close}
      position="right"
      size="xl"
      title="Decision"
      closeButtonProps={{ 'aria-label': 'Close the decision' }}
    >
      {search.decision !== undefined && (
        <Opened org={org} identifier={identifier} decision_id={search.decision} />
      )}
    </Drawer>
  )
}

function Opened({ org, identifier, decision_id }: Place & { decision_id: string }) {
  const decision = useQuery(decisionQuery(org, identifier, decision_id))
  if (decision.isPending) return <Loading />
  if (decision.error) return <ErrorAlert error={decision.error} />
  return (
    <Stack>
      <Group justify="space-between" align="start">
        <Title order={2} size="h3" className="fingerprint">
          {decision.data.attestation_name}
        </Title>
        <StateBadge state={toState(decision.data.is_compliant)} />
      </Group>
      {decision.data.description !== null && <Text>{decision.data.description}</Text>}
      <Violations data={decision.data.attestation_data} />
      <Facts rows={factsOf({ org, identifier, decision: decision.data })} />
      <Details title="Data of the decision">
        <RawJson value={decision.data.attestation_data} />
      </Details>
    </Stack>
  )
}

type Rows = (readonly [string, ReactNode])[]

function factsOf({ org, identifier, decision }: Place & { decision: Decision }): Rows {
  const { flow_name: flow, trail_name: trail, git_commit_info: commit } = decision
  return [
    ['Flow', <FlowLink key="flow" org={org} flow={flow} />],
    ['Trail', <TrailLink key="trail" org={org} flow={flow} trail={trail} />],
    ['About', <Subject key="about" org={org} decision={decision} />],
    ['Control', <ControlVersion key="control" org={org} identifier={identifier} decision={decision} />],
    ['Reported by', decision.created_by],
    ['Reported', <RelativeTime key="at" at={decision.created_at} />],
    ['Commit', commit && <CommitLink key="commit" sha={commit.sha1} url={commit.url} />],
    ['Origin', decision.origin_url && <ExternalLink key="origin" href={decision.origin_url} />],
    ...plainFacts(decision.attestation_data),
    ...Object.entries(decision.external_urls).map(
      ([label, { href }]) => [label, <ExternalLink key={label} href={href} />] as const,
    ),
    ...Object.entries(decision.annotations),
    ['Evidence', <Attached key="evidence" org={org} decision={decision} />],
    [
      'Attestation',
      <AttestationLink key="attestation" org={org} flow={flow} trail={trail} attestation_id={decision.id}>
        {decision.attestation_name}
      </AttestationLink>,
    ],
  ]
}

/** What is neither the verdict nor made of parts: `decided_by` and the like. */
function plainFacts(data: Record<string, unknown>): Rows {
  return Object.entries(data)
    .filter(([key, value]) => key !== 'is_compliant' && typeof value !== 'object')
    .map(([key, value]) => [key, String(value)] as const)
}

function Violations({ data }: { data: Record<string, unknown> }) {
  const violations = Array.isArray(data.violations) ? data.violations : []
  if (violations.length === 0) return null
  const sentences = violations.map(each => (typeof each === 'string' ? each : JSON.stringify(each)))
  return (
    <Alert color="red" title="What was found wrong">
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
    return target_artifacts.length > 0 ? `Artifact ${target_artifacts.join(' or ')}` : 'The trail itself'
  return (
    <Stack gap={4} align="start">
      <ArtifactLink org={org} flow={flow_name} fingerprint={fingerprint}>
        {artifact_name}
      </ArtifactLink>
      <Text size="sm" className="fingerprint">
        {fingerprint}
      </Text>
      <Copy value={fingerprint} what="the fingerprint" />
    </Stack>
  )
}

function ControlVersion({ org, identifier, decision }: Place & { decision: Decision }) {
  if (decision.control_version === null) return `${identifier}, before it was made`
  return (
    <PageLink to={FROM} params={{ org, identifier }} search={{ tab: 'versions' }}>
      {identifier}, version {decision.control_version}
    </PageLink>
  )
}

function Attached({ org, decision }: { org: string; decision: Decision }) {
  if (decision.evidence_archive_fingerprint === null) return 'No file is attached'
  const { flow_name, trail_name, id } = decision
  return (
    <Anchor
      inherit
      href={buildApiPath('attestations', org, flow_name, 'trail', trail_name, 'attestation', id, 'evidence')}
      download
    >
      Download the attachment
    </Anchor>
  )
}
