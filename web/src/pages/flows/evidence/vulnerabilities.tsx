// A vulnerability scan: counts by severity, and the findings if they were reported.
import { Card, Group, Stack, Table, Text, Title } from '@mantine/core'
import type { Schemas } from '../../../parts/schemas.ts'
import { evidenceTexts as texts } from './texts.ts'

const SEVERITIES = ['high', 'medium', 'low'] as const

export function Vulnerabilities({ results }: { results: Schemas['SnykResults'] }) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {texts.vulnerabilities.title}
      </Title>
      <Group grow>
        {SEVERITIES.map(severity => (
          <Count
            key={severity}
            severity={texts.vulnerabilities.severities[severity]}
            count={results.results.reduce((total, run) => total + run[`${severity}_count`], 0)}
          />
        ))}
      </Group>
      <Text size="sm" c="dimmed">
        {texts.vulnerabilities.foundBy(results.tool.name, results.tool.version)}
      </Text>
      <Findings runs={results.results} />
    </Stack>
  )
}

function Count({ severity, count }: { severity: string; count: number }) {
  return (
    <Card withBorder padding="xs">
      <Text size="xl" fw={700} c={count > 0 ? 'red' : 'dimmed'}>
        {count}
      </Text>
      <Text size="sm">{severity}</Text>
    </Card>
  )
}

function Findings({ runs }: { runs: Schemas['SnykRun'][] }) {
  const findings = SEVERITIES.flatMap(severity =>
    runs.flatMap(run => (run[severity] ?? []).map(finding => ({ severity, finding }))),
  )
  if (findings.length === 0) return null
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table aria-label={texts.vulnerabilities.findings}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.vulnerabilities.severity}</Table.Th>
            <Table.Th>{texts.vulnerabilities.finding}</Table.Th>
            <Table.Th>{texts.vulnerabilities.location}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {findings.map(({ severity, finding }, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: runs may repeat an id, and the list never changes
            <Table.Tr key={position}>
              <Table.Td>{texts.vulnerabilities.severities[severity]}</Table.Td>
              <Table.Td>
                {finding.message}
                <Text size="xs" c="dimmed" className="fingerprint">
                  {finding.id}
                </Text>
              </Table.Td>
              <Table.Td className="fingerprint">
                {(finding.locations ?? []).map(({ uri }) => uri).join(', ')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
