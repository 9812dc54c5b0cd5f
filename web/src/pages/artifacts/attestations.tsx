// All attestations of an organization, newest first, with every filter of the API.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ArtifactLink, AttestationLink, FlowLink, TrailLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge, toState } from '../../parts/state-badge.tsx'
import { RecordedTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ButtonLink } from '../../ui/page-link.tsx'
import { CursorPager } from '../../ui/pager.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { AttestationFilters } from './attestation-filters.tsx'
import { attestationsQuery } from './queries.ts'
import type { AttestationsSearch } from './search.ts'
import { artifactTexts as texts } from './texts.ts'

const SHORT_FINGERPRINT_LENGTH = 12

export function AttestationsPage() {
  const { org } = useParams({ from: '/$org/attestations' })
  const search = useSearch({ from: '/$org/attestations' })
  const navigate = useNavigate({ from: '/$org/attestations' })
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{texts.attestations.title}</Title>
        <ButtonLink variant="default" to="/$org/attestation-types" params={{ org }}>
          {texts.attestations.customTypes}
        </ButtonLink>
      </Group>
      <AttestationFilters
        org={org}
        search={search}
        onChange={next => void navigate({ search: next, replace: true })}
      />
      <AttestationTable org={org} search={search} />
    </Stack>
  )
}

interface TableProps {
  org: string
  search: AttestationsSearch
}

function AttestationTable({ org, search }: TableProps) {
  const attestations = useQuery(attestationsQuery(org, search))
  if (attestations.isPending) return <Loading />
  if (attestations.error) return <ErrorAlert error={attestations.error} />
  const { data, pagination } = attestations.data
  if (data.length === 0) return <NoAttestations org={org} isFiltered={Object.keys(search).length > 0} />
  return (
    <Stack>
      <DataTable
        caption={texts.attestations.title}
        columns={listColumns(org)}
        rows={data}
        getKey={({ attestation_id }) => attestation_id}
        isPart={pagination.after !== null || search.after !== undefined}
      />
      <Pages search={search} after={pagination.after} />
    </Stack>
  )
}

const listColumns = (org: string): Column<Schemas['Attestation']>[] => [
  {
    title: texts.attestations.attestation,
    sortBy: ({ attestation_name }) => attestation_name,
    render: each => (
      <>
        <AttestationLink
          org={org}
          flow={each.flow_name}
          trail={each.trail_name}
          attestation_id={each.attestation_id}
        >
          {each.attestation_name}
        </AttestationLink>
        <Text size="xs" c="dimmed">
          {each.attestation_type}
        </Text>
      </>
    ),
  },
  {
    title: texts.attestations.state,
    sortBy: ({ is_compliant }) => toState(is_compliant),
    render: ({ is_compliant, waiting_for }) => (
      <Group gap={4}>
        <StateBadge by="evidence" state={toState(is_compliant)} />
        {waiting_for !== null && <StateBadge by="evidence" state="WAITING" />}
      </Group>
    ),
  },
  {
    title: texts.attestations.flow,
    sortBy: ({ flow_name }) => flow_name,
    render: ({ flow_name }) => <FlowLink org={org} flow={flow_name} />,
  },
  {
    title: texts.attestations.trail,
    sortBy: ({ trail_name }) => trail_name,
    render: ({ flow_name, trail_name }) => <TrailLink org={org} flow={flow_name} trail={trail_name} />,
  },
  { title: texts.attestations.about, render: each => <About org={org} attestation={each} /> },
  {
    title: texts.attestations.reported,
    first: 'descending',
    sortBy: ({ created_at }) => created_at,
    render: each => (
      <>
        <RecordedTime at={each.created_at} of={each} />
        <Text size="xs" c="dimmed">
          {texts.attestations.reportedBy(each.reported_by)}
        </Text>
      </>
    ),
  },
]

function About({ org, attestation }: { org: string; attestation: Schemas['Attestation'] }) {
  const { artifact_fingerprint, waiting_for, flow_name } = attestation
  if (artifact_fingerprint === null) return <>{waiting_for ?? texts.attestations.aboutTrail}</>
  return (
    <ArtifactLink org={org} flow={flow_name} fingerprint={artifact_fingerprint}>
      <span className="fingerprint">{artifact_fingerprint.slice(0, SHORT_FINGERPRINT_LENGTH)}</span>
    </ArtifactLink>
  )
}

function Pages({ search, after }: { search: AttestationsSearch; after: string | null }) {
  const navigate = useNavigate({ from: '/$org/attestations' })
  const { after: here, ...filters } = search
  return (
    <CursorPager
      noun="attestation"
      onFirst={here === undefined ? undefined : () => void navigate({ search: filters })}
      onNext={after === null ? undefined : () => void navigate({ search: { ...filters, after } })}
    />
  )
}

function NoAttestations({ org, isFiltered }: { org: string; isFiltered: boolean }) {
  const path = buildApiPath('attestations', org, 'FLOW', 'trail', 'TRAIL', 'generic')
  return (
    <Empty
      title={isFiltered ? texts.attestations.noMatch : texts.attestations.none}
      command={buildCurl('POST', path, { attestation_name: 'peer-review', is_compliant: true })}
    >
      {texts.attestations.noneHint}
    </Empty>
  )
}
