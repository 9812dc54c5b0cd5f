// A static analysis: the status of the quality gate and its conditions.
import { Stack, Table, Title } from '@mantine/core'
import { RelativeTime } from '../../../parts/time.tsx'
import { ExternalLink } from '../../../ui/external-link.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { evidenceTexts as texts } from './texts.ts'

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
        {texts.qualityGate.title}
      </Title>
      <Facts
        rows={[
          [texts.qualityGate.gate, qualityGate?.status ?? texts.qualityGate.notReported],
          [
            texts.qualityGate.project,
            project && (
              <ExternalLink key="project" href={project.url}>
                {project.name}
              </ExternalLink>
            ),
          ],
          [texts.qualityGate.branch, branch?.name],
          [texts.qualityGate.analysed, analysedAt && <AnalysisTime key="analysed" at={analysedAt} />],
        ]}
      />
      <Conditions conditions={qualityGate?.conditions ?? []} />
    </Stack>
  )
}

/** Reporters may send any text as the time. */
function AnalysisTime({ at }: { at: string }) {
  const ms = Date.parse(at)
  return Number.isNaN(ms) ? at : <RelativeTime at={ms / 1000} />
}

function Conditions({ conditions }: { conditions: Condition[] }) {
  if (conditions.length === 0) return null
  return (
    <Table aria-label={texts.qualityGate.conditions}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.qualityGate.metric}</Table.Th>
          <Table.Th>{texts.qualityGate.value}</Table.Th>
          <Table.Th>{texts.qualityGate.failsWhen}</Table.Th>
          <Table.Th>{texts.qualityGate.status}</Table.Th>
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
