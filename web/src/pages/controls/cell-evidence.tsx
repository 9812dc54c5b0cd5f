// The running artifacts of an environment, and their results for the rules of a control, with the decisions
// that the rules found.
import { Group, Select, Stack, Text, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { DecisionExpiry } from '../../parts/decision-expiry.tsx'
import { ArtifactLink, AttestationLink, PolicyLink, TrailLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Pager } from '../../ui/pager.tsx'
import { readText } from '../../ui/search-params.ts'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty } from '../../ui/states.tsx'
import { OutcomeBadge } from './control-state.tsx'
import { OUTCOMES, parseCellSearch } from './search.ts'
import type { StateEvidence } from './state-queries.ts'
import { stateTexts as texts } from './texts-states.ts'

const FROM = '/$org/controls/$identifier/environments/$environment'

type Artifact = Schemas['ControlEvidence']
type Rule = Schemas['RuleEvaluation']

const CHOICES = OUTCOMES.map(value => ({ value, label: texts.evidence.outcomes[value] }))

export function CellEvidence({ org, evidence }: { org: string; evidence: StateEvidence }) {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const change = (part: { outcome?: string | undefined; page?: number | undefined }) =>
    void navigate({ search: parseCellSearch({ ...search, ...part }), replace: true, resetScroll: false })
  return (
    <Stack gap="xs" component="section" aria-label={texts.evidence.title}>
      <Title order={2} size="h3">
        {texts.evidence.title}
      </Title>
      <Select
        label={texts.evidence.outcome}
        placeholder={texts.evidence.any}
        data={CHOICES}
        value={search.outcome ?? null}
        clearable
        w={200}
        onChange={chosen => change({ outcome: chosen ?? undefined, page: undefined })}
      />
      {evidence.artifacts.length === 0 ? (
        <Empty title={texts.evidence.none}>{texts.evidence.noneHint}</Empty>
      ) : (
        <DataTable
          caption={texts.evidence.caption}
          columns={buildColumns(org)}
          rows={evidence.artifacts}
          getKey={({ fingerprint, artifact_name }) => `${fingerprint} ${artifact_name}`}
          isPart={evidence.total_pages > 1}
        />
      )}
      <Pager
        page={evidence.page}
        page_count={evidence.total_pages}
        total={evidence.total_count}
        noun="artifact"
        onChange={page => change({ page })}
      />
    </Stack>
  )
}

const buildColumns = (org: string): Column<Artifact>[] => [
  {
    title: texts.evidence.outcome,
    render: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
  },
  {
    title: texts.evidence.artifact,
    sortBy: ({ artifact_name }) => artifact_name,
    render: artifact => (
      <>
        <ArtifactLink org={org} flow={artifact.flow_name} fingerprint={artifact.fingerprint}>
          {artifact.artifact_name}
        </ArtifactLink>
        {artifact.allow_listed && ['failing', 'expired'].includes(artifact.outcome) && (
          <Text size="xs">{texts.evidence.allowListed}</Text>
        )}
      </>
    ),
  },
  {
    title: texts.evidence.decisions,
    render: artifact => <Decisions org={org} artifact={artifact} />,
  },
  {
    title: texts.evidence.rule,
    render: ({ policy_decisions }) => (
      <Stack gap={2}>
        {policy_decisions.flatMap(({ policy_name, policy_version, rule_evaluations }) =>
          rule_evaluations.map(({ rule }, i) => (
            <Text key={`${policy_name} ${String(i)}`} size="sm">
              <PolicyLink org={org} policy={policy_name} />{' '}
              {texts.evidence.policyRule(policy_version, describeRule(rule.definition))}
            </Text>
          )),
        )}
      </Stack>
    ),
  },
]

function Decisions({ org, artifact }: { org: string; artifact: Artifact }) {
  const rules = artifact.policy_decisions.flatMap(({ rule_evaluations }) => rule_evaluations)
  const found = collectDecisions(rules)
  return (
    <Stack gap={2}>
      {found.map(({ attestation_id, flow, trail, expires_at }, i) => (
        <Group key={attestation_id} gap={4}>
          <AttestationLink org={org} flow={flow} trail={trail} attestation_id={attestation_id}>
            {texts.evidence.decision(i)}
          </AttestationLink>
          {texts.evidence.inTrail} <TrailLink org={org} flow={flow} trail={trail} />
          {expires_at !== undefined && (
            <Text size="xs" c="dimmed">
              <DecisionExpiry expires_at={expires_at} />
            </Text>
          )}
        </Group>
      ))}
      {found.length === 0 && <Text size="sm">{texts.evidence.noDecision}</Text>}
      {artifact.reasons.map(({ description }) => (
        <Text key={description} size="xs" className="long-name">
          {description}
        </Text>
      ))}
    </Stack>
  )
}

interface Decision {
  attestation_id: string
  flow: string
  trail: string
  expires_at: number | undefined
}

/** Each decision once, even if several policies require it. */
function collectDecisions(rules: readonly Rule[]): Decision[] {
  const found = new Map<string, Decision>()
  for (const { context } of rules.flatMap(({ resolutions }) => resolutions)) {
    const { flow_name: flow, trail_name: trail, attestation_ids = [], expires_at } = context
    if (flow === null || trail === null) continue
    for (const attestation_id of attestation_ids)
      found.set(attestation_id, { attestation_id, flow, trail, expires_at })
  }
  return [...found.values()]
}

function describeRule(definition: Readonly<Record<string, unknown>>): string {
  const condition = definition.if as { text?: unknown } | null | undefined
  const text = readText(condition?.text)
  const word =
    definition.must_be_compliant === false ? texts.evidence.anyDecision : texts.evidence.compliantDecision
  return `${word}${text === undefined ? '' : texts.evidence.onlyIf(text)}`
}
