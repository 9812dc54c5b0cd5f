// All reports of an attestation under one name. Only the latest counts.
import { Stack, Table, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { AttestationLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { computeSlotState, StateBadge } from '../../parts/state-badge.tsx'
import { RecordedTime } from '../../parts/time.tsx'
import { reportsOfNameQuery } from './queries.ts'
import { trailTexts as texts } from './texts-trail.ts'

interface AttestationProps {
  org: string
  attestation: Schemas['Attestation']
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
      <Table aria-label={texts.reports.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.reports.reported}</Table.Th>
            <Table.Th>{texts.reports.by}</Table.Th>
            <Table.Th>{texts.reports.state}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {newest_first.map(each => (
            <Table.Tr key={each.attestation_id}>
              <Table.Td>
                {each.attestation_id === attestation.attestation_id ? (
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
                )}
              </Table.Td>
              <Table.Td>{each.reported_by}</Table.Td>
              <Table.Td>
                <StateBadge
                  by="evidence"
                  state={computeSlotState({ status: 'COMPLETE', is_compliant: each.is_compliant })}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  )
}
