// The decisions on a control, with their subjects, times and control versions.
import { Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { AuditPackageLink } from '../../parts/audit-package-link.tsx'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { DecisionBadge, DecisionExpiry } from '../../parts/decision-expiry.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { getDayEnd, getDayStart } from '../../ui/local-time.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { CursorPager } from '../../ui/pager.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { DecisionDrawer } from './decision-drawer.tsx'
import { DecisionFilters } from './decision-filters.tsx'
import { decisionsQuery } from './queries.ts'
import { parseControlSearch } from './search.ts'
import { controlTexts as texts } from './texts.ts'

type Decision = Schemas['ControlDecision']

export function Decisions({ org, identifier }: { org: string; identifier: string }) {
  return (
    <Stack>
      <DecisionFilters org={org} />
      <DecisionTable org={org} identifier={identifier} />
      <DecisionDrawer org={org} identifier={identifier} />
    </Stack>
  )
}

function DecisionTable({ org, identifier }: { org: string; identifier: string }) {
  const search = useSearch({ from: '/$org/controls/$identifier' })
  const navigate = useNavigate({ from: '/$org/controls/$identifier' })
  const decisions = useQuery(decisionsQuery(org, identifier, search))
  if (decisions.isPending) return <Loading />
  if (decisions.error) return <ErrorAlert error={decisions.error} />
  const { decisions: shown, next } = decisions.data
  if (shown.length === 0) return <NoDecisions org={org} identifier={identifier} />
  const goTo = (cursor: string | undefined) =>
    void navigate({ search: parseControlSearch({ ...search, cursor }), resetScroll: false })
  return (
    <>
      <Group justify="end">
        <AuditPackageLink
          of={['controls', org, identifier]}
          from={search.from === undefined ? undefined : getDayStart(search.from)}
          to={search.to === undefined ? undefined : getDayEnd(search.to)}
        />
      </Group>
      <Table.ScrollContainer minWidth={860}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.decisions.when}</Table.Th>
              <Table.Th>{texts.decisions.outcome}</Table.Th>
              <Table.Th>{texts.decisions.flowAndTrail}</Table.Th>
              <Table.Th>{texts.decisions.artifact}</Table.Th>
              <Table.Th>{texts.decisions.control}</Table.Th>
              <Table.Th>{texts.decisions.reportedBy}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map(decision => (
              <Row key={decision.id} org={org} identifier={identifier} decision={decision} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <CursorPager
        noun="decision"
        onFirst={search.cursor === undefined ? undefined : () => goTo(undefined)}
        onNext={next === null ? undefined : () => goTo(next)}
      />
    </>
  )
}

function Row({ org, identifier, decision }: { org: string; identifier: string; decision: Decision }) {
  const search = useSearch({ from: '/$org/controls/$identifier' })
  return (
    <Table.Tr>
      <Table.Td miw={110}>
        <RelativeTime at={decision.created_at} />
      </Table.Td>
      <Table.Td miw={150}>
        <DecisionBadge {...decision} />
        {decision.expires_at !== null && (
          <Text size="xs" c="dimmed">
            <DecisionExpiry expires_at={decision.expires_at} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <PageLink
          to="/$org/controls/$identifier"
          params={{ org, identifier }}
          search={parseControlSearch({ ...search, decision: decision.id })}
          resetScroll={false}
          className="fingerprint"
        >
          {decision.flow_name} / {decision.trail_name}
        </PageLink>
        <Text size="sm" c="dimmed">
          {decision.attestation_name}
        </Text>
      </Table.Td>
      <Table.Td>
        {decision.artifact_name === null ? (
          <Text size="sm" c="dimmed">
            {decision.target_artifacts.length > 0
              ? decision.target_artifacts.join(', ')
              : texts.decisions.trail}
          </Text>
        ) : (
          <>
            <Text size="sm" className="fingerprint">
              {decision.artifact_name}
            </Text>
            <Text size="xs" c="dimmed" title={decision.artifact_fingerprint ?? undefined}>
              {decision.artifact_fingerprint?.slice(0, 12)}
            </Text>
          </>
        )}
      </Table.Td>
      <Table.Td miw={90}>
        {decision.control_version === null
          ? texts.decisions.beforeCreation
          : texts.decisions.version(decision.control_version)}
      </Table.Td>
      <Table.Td>{decision.created_by}</Table.Td>
    </Table.Tr>
  )
}

function NoDecisions({ org, identifier }: { org: string; identifier: string }) {
  const command = buildCurl('POST', buildApiPath('attestations', org, 'FLOW', 'trail', 'TRAIL', 'system'), {
    attestation_name: 'decision',
    type_name: 'decision',
    control: identifier,
    attestation_data: { is_compliant: true },
  })
  return (
    <Empty title={texts.decisions.none} command={command}>
      {texts.decisions.noneHint}
    </Empty>
  )
}
