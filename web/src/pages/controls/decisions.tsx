// The decisions on a control, with their subjects, times and control versions.
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { AuditPackageLink } from '../../parts/audit-package-link.tsx'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { DecisionBadge, DecisionExpiry } from '../../parts/decision-expiry.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { getDayEnd, getDayStart } from '../../ui/local-time.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { CursorPager } from '../../ui/pager.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { DecisionDrawer } from './decision-drawer.tsx'
import { DecisionFilters } from './decision-filters.tsx'
import { decisionsQuery } from './queries.ts'
import { type ControlSearch, parseControlSearch } from './search.ts'
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
      <DataTable
        caption={texts.detail.tabs.decisions}
        columns={listColumns(org, identifier, search)}
        rows={shown}
        getKey={({ id }) => id}
        isWide
      />
      <CursorPager
        noun="decision"
        onFirst={search.cursor === undefined ? undefined : () => goTo(undefined)}
        onNext={next === null ? undefined : () => goTo(next)}
      />
    </>
  )
}

/** No column sorts: a page is part of a history, which the filters put in order. */
const listColumns = (org: string, identifier: string, search: ControlSearch): Column<Decision>[] => [
  { title: texts.decisions.when, render: ({ created_at }) => <RelativeTime at={created_at} /> },
  {
    title: texts.decisions.outcome,
    render: decision => (
      <>
        <DecisionBadge {...decision} />
        {decision.expires_at !== null && (
          <Text size="xs" c="dimmed">
            <DecisionExpiry expires_at={decision.expires_at} />
          </Text>
        )}
      </>
    ),
  },
  {
    title: texts.decisions.flowAndTrail,
    render: ({ id, flow_name, trail_name, attestation_name }) => (
      <>
        <PageLink
          to="/$org/controls/$identifier"
          params={{ org, identifier }}
          search={parseControlSearch({ ...search, decision: id })}
          resetScroll={false}
          className="fingerprint"
        >
          {flow_name} / {trail_name}
        </PageLink>
        <Text size="sm" c="dimmed">
          {attestation_name}
        </Text>
      </>
    ),
  },
  { title: texts.decisions.artifact, render: decision => <Subject decision={decision} /> },
  {
    title: texts.decisions.control,
    render: ({ control_version }) =>
      control_version === null ? texts.decisions.beforeCreation : texts.decisions.version(control_version),
  },
  { title: texts.decisions.reportedBy, render: ({ created_by }) => created_by },
]

function Subject({ decision }: { decision: Decision }) {
  const { artifact_name, artifact_fingerprint, target_artifacts } = decision
  if (artifact_name === null)
    return (
      <Text size="sm" c="dimmed">
        {target_artifacts.length > 0 ? target_artifacts.join(', ') : texts.decisions.trail}
      </Text>
    )
  return (
    <>
      <Text size="sm" className="fingerprint">
        {artifact_name}
      </Text>
      <Text size="xs" c="dimmed" title={artifact_fingerprint ?? undefined}>
        {artifact_fingerprint?.slice(0, 12)}
      </Text>
    </>
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
