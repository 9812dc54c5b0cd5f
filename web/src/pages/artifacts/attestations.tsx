// All attestations of an organization, newest first, with every filter of the API.
import { Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ArtifactLink, AttestationLink, FlowLink, TrailLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge, toState } from '../../parts/state-badge.tsx'
import { RecordedTime } from '../../parts/time.tsx'
import { ButtonLink } from '../../ui/page-link.tsx'
import { CursorPager } from '../../ui/pager.tsx'
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
      <Table.ScrollContainer minWidth={820}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.attestations.attestation}</Table.Th>
              <Table.Th>{texts.attestations.state}</Table.Th>
              <Table.Th>{texts.attestations.flow}</Table.Th>
              <Table.Th>{texts.attestations.trail}</Table.Th>
              <Table.Th>{texts.attestations.about}</Table.Th>
              <Table.Th>{texts.attestations.reported}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.map(each => (
              <AttestationRow key={each.attestation_id} org={org} attestation={each} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Pages search={search} after={pagination.after} />
    </Stack>
  )
}

function AttestationRow({ org, attestation }: { org: string; attestation: Schemas['Attestation'] }) {
  const { flow_name: flow, trail_name: trail, artifact_fingerprint, is_compliant } = attestation
  return (
    <Table.Tr>
      <Table.Td>
        <AttestationLink org={org} flow={flow} trail={trail} attestation_id={attestation.attestation_id}>
          {attestation.attestation_name}
        </AttestationLink>
        <Text size="xs" c="dimmed">
          {attestation.attestation_type}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          <StateBadge by="evidence" state={toState(is_compliant)} />
          {attestation.waiting_for !== null && <StateBadge by="evidence" state="WAITING" />}
        </Group>
      </Table.Td>
      <Table.Td>
        <FlowLink org={org} flow={flow} />
      </Table.Td>
      <Table.Td>
        <TrailLink org={org} flow={flow} trail={trail} />
      </Table.Td>
      <Table.Td className="long-name">
        {artifact_fingerprint === null ? (
          (attestation.waiting_for ?? texts.attestations.aboutTrail)
        ) : (
          <ArtifactLink org={org} flow={flow} fingerprint={artifact_fingerprint}>
            {artifact_fingerprint.slice(0, SHORT_FINGERPRINT_LENGTH)}
          </ArtifactLink>
        )}
      </Table.Td>
      <Table.Td>
        <RecordedTime at={attestation.created_at} of={attestation} />
        <Text size="xs" c="dimmed">
          {texts.attestations.reportedBy(attestation.reported_by)}
        </Text>
      </Table.Td>
    </Table.Tr>
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
