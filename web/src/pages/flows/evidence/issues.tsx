// Referenced issues: their summaries, and whether they exist.
import { Stack, Table, Title } from '@mantine/core'
import type { Schemas } from '../../../parts/schemas.ts'
import { ExternalLink } from '../../../ui/external-link.tsx'
import { evidenceTexts as texts } from './texts.ts'

type Issue = Schemas['JiraIssue']

export function Issues({ issues }: { issues: Issue[] }) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {texts.issues.title}
      </Title>
      <Table aria-label={texts.issues.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.issues.issue}</Table.Th>
            <Table.Th>{texts.issues.summary}</Table.Th>
            <Table.Th>{texts.issues.exists}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {issues.map(issue => (
            <Table.Tr key={issue.issue_id}>
              <Table.Td>
                <ExternalLink href={issue.issue_url}>{issue.issue_id}</ExternalLink>
              </Table.Td>
              <Table.Td>{summarize(issue)}</Table.Td>
              <Table.Td>{issue.issue_exists ? texts.issues.yes : texts.issues.no}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  )
}

function summarize({ issue_fields }: Issue): string {
  const { summary, status } = (issue_fields ?? {}) as { summary?: unknown; status?: { name?: unknown } }
  const parts = [summary, status?.name].filter(each => typeof each === 'string')
  return parts.join(', ')
}
