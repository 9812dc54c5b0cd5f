// The trails of a flow, newest first, with the state of each.
import { Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiPath, curl } from '../../parts/curl.ts'
import { CommitLink, TrailLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { trailsQuery } from './queries.ts'

interface TrailTableProps {
  org: string
  flow: string
  page: number
  onPage: (page: number) => void
}

export function TrailTable({ org, flow, page, onPage }: TrailTableProps) {
  const trails = useQuery(trailsQuery(org, flow, page))
  if (trails.isPending) return <Loading />
  if (trails.error) return <Failed error={trails.error} />
  const { data, pagination } = trails.data
  if (pagination.total === 0) {
    const command = curl('PUT', apiPath('trails', org, flow), { name: 'release-1', description: '' })
    return (
      <Empty title="No trails yet" command={command}>
        A trail is one run of the flow: a release, a ticket or a commit.
      </Empty>
    )
  }
  return (
    <Stack>
      <Table.ScrollContainer minWidth={640}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Trail</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Commit</Table.Th>
              <Table.Th>Author</Table.Th>
              <Table.Th>Last change</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.map(trail => (
              <TrailRow key={trail.id} org={org} trail={trail} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Pager {...pagination} noun="trail" onChange={onPage} />
    </Stack>
  )
}

function TrailRow({ org, trail }: { org: string; trail: Schemas['TrailSummary'] }) {
  const commit = trail.git_commit_info
  return (
    <Table.Tr>
      <Table.Td>
        <TrailLink org={org} flow={trail.flow_name} trail={trail.name} />
        <Text size="sm" c="dimmed" lineClamp={1}>
          {trail.description}
        </Text>
      </Table.Td>
      <Table.Td>
        <StateBadge state={trail.compliance_state} />
      </Table.Td>
      <Table.Td>
        <CommitLink sha={commit?.sha1} url={commit?.url} />
      </Table.Td>
      <Table.Td>{commit?.author ?? trail.created_by}</Table.Td>
      <Table.Td>
        <Moment at={trail.last_modified_at} />
      </Table.Td>
    </Table.Tr>
  )
}
