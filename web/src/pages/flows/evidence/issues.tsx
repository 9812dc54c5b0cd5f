// References to issues: whether each exists, and what it is about.
import { Stack, Table, Title } from '@mantine/core'
import type { Schemas } from '../../../parts/schemas.ts'
import { ExternalLink } from '../../../ui/external-link.tsx'

type Issue = Schemas['JiraIssue']

export function Issues({ issues }: { issues: Issue[] }) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Issues
      </Title>
      <Table aria-label="Issues">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Issue</Table.Th>
            <Table.Th>Summary</Table.Th>
            <Table.Th>Exists</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {issues.map(issue => (
            <Table.Tr key={issue.issue_id}>
              <Table.Td>
                <ExternalLink href={issue.issue_url}>{issue.issue_id}</ExternalLink>
              </Table.Td>
              <Table.Td>{summaryOf(issue)}</Table.Td>
              <Table.Td>{issue.issue_exists ? 'yes' : 'NO'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  )
}

function summaryOf({ issue_fields }: Issue): string {
  const { summary, status } = (issue_fields ?? {}) as { summary?: unknown; status?: { name?: unknown } }
  const parts = [summary, status?.name].filter(each => typeof each === 'string')
  return parts.join(', ')
}
