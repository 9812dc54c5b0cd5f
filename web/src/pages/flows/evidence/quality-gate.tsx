// A static analysis: whether the quality gate was passed, and by which conditions.
import { Stack, Table, Title } from '@mantine/core'
import { RelativeTime } from '../../../parts/time.tsx'
import { ExternalLink } from '../../../ui/external-link.tsx'
import { Facts } from '../../../ui/facts.tsx'

interface Condition {
  metric?: string
  operator?: string
  errorThreshold?: string
  value?: string
  status?: string
}

export interface SonarResults {
  serverUrl?: string
  analysedAt?: string
  project?: { name?: string; url?: string }
  branch?: { name?: string }
  qualityGate?: { status: string; conditions?: Condition[] } | null
}

export function QualityGate({ results }: { results: SonarResults }) {
  const { project, branch, qualityGate, analysedAt } = results
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Quality gate
      </Title>
      <Facts
        rows={[
          ['Gate', qualityGate?.status ?? 'not reported'],
          [
            'Project',
            project && (
              <ExternalLink key="project" href={project.url}>
                {project.name}
              </ExternalLink>
            ),
          ],
          ['Branch', branch?.name],
          ['Analysed', analysedAt && <Analysed key="analysed" at={analysedAt} />],
        ]}
      />
      <Conditions conditions={qualityGate?.conditions ?? []} />
    </Stack>
  )
}

/** Whoever sent it may have written it in any way. */
function Analysed({ at }: { at: string }) {
  const ms = Date.parse(at)
  return Number.isNaN(ms) ? at : <RelativeTime at={ms / 1000} />
}

function Conditions({ conditions }: { conditions: Condition[] }) {
  if (conditions.length === 0) return null
  return (
    <Table aria-label="Conditions of the quality gate">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Metric</Table.Th>
          <Table.Th>Value</Table.Th>
          <Table.Th>Fails when</Table.Th>
          <Table.Th>Status</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {conditions.map(({ metric, value, operator, errorThreshold, status }) => (
          <Table.Tr key={metric} fw={status === 'ERROR' ? 700 : undefined}>
            <Table.Td className="fingerprint">{metric}</Table.Td>
            <Table.Td>{value}</Table.Td>
            <Table.Td>
              {operator?.replaceAll('_', ' ').toLowerCase()} {errorThreshold}
            </Table.Td>
            <Table.Td>{status}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
