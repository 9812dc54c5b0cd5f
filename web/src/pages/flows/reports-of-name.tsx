// All reports of an attestation under one name. Only the latest counts.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { AttestationLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { computeSlotState, StateBadge } from '../../parts/state-badge.tsx'
import { RecordedTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { reportsOfNameQuery } from './queries.ts'
import { trailTexts as texts } from './texts-trail.ts'

type Attestation = Schemas['Attestation']

interface AttestationProps {
  org: string
  attestation: Attestation
}

export function ReportsOfName({ org, attestation }: AttestationProps) {
  const { data: reports = [] } = useQuery(reportsOfNameQuery(org, attestation))
  if (reports.length < 2) return null
  const newest_first = reports.toSorted((a, b) => b.created_at - a.created_at)
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {texts.reports.title}
      </Title>
      <DataTable
        caption={texts.reports.title}
        columns={listColumns(org, attestation.attestation_id)}
        rows={newest_first}
        getKey={({ attestation_id }) => attestation_id}
      />
    </Stack>
  )
}

const listColumns = (org: string, shown_id: string): Column<Attestation>[] => [
  {
    title: texts.reports.reported,
    first: 'descending',
    sortBy: ({ created_at }) => created_at,
    render: each =>
      each.attestation_id === shown_id ? (
        <>
          <RecordedTime at={each.created_at} of={each} /> {texts.reports.thisOne}
        </>
      ) : (
        <AttestationLink
          org={org}
          flow={each.flow_name}
          trail={each.trail_name}
          attestation_id={each.attestation_id}
        >
          <RecordedTime at={each.created_at} of={each} />
        </AttestationLink>
      ),
  },
  {
    title: texts.reports.by,
    sortBy: ({ reported_by }) => reported_by,
    render: ({ reported_by }) => reported_by,
  },
  {
    title: texts.reports.state,
    sortBy: getState,
    render: each => <StateBadge by="evidence" state={getState(each)} />,
  },
]

function getState({ is_compliant }: Attestation) {
  return computeSlotState({ status: 'COMPLETE', is_compliant })
}
