// The versions of a control: each definition, who changed it and when.
import { Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { RelativeTime } from '../../parts/time.tsx'
import { Pager } from '../../ui/pager.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { ControlLinks } from './control-links.tsx'
import { versionsQuery } from './queries.ts'
import { controlTexts as texts } from './texts.ts'

export function Versions({ org, identifier }: { org: string; identifier: string }) {
  const { page = 1 } = useSearch({ from: '/$org/controls/$identifier' })
  const navigate = useNavigate({ from: '/$org/controls/$identifier' })
  const versions = useQuery(versionsQuery(org, identifier, page))
  if (versions.isPending) return <Loading />
  if (versions.error) return <ErrorAlert error={versions.error} />
  return (
    <Stack>
      <Table.ScrollContainer minWidth={640}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.versions.version}</Table.Th>
              <Table.Th>{texts.versions.change}</Table.Th>
              <Table.Th>{texts.versions.definition}</Table.Th>
              <Table.Th>{texts.versions.changedBy}</Table.Th>
              <Table.Th>{texts.versions.changed}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {versions.data.versions.map(each => (
              <Table.Tr key={each.version}>
                <Table.Td>{each.version}</Table.Td>
                <Table.Td>{each.kind}</Table.Td>
                <Table.Td>
                  <Text size="sm" fw={500}>
                    {each.name}
                  </Text>
                  {each.description !== null && <Text size="sm">{each.description}</Text>}
                  <ControlLinks links={each.links} />
                </Table.Td>
                <Table.Td>{each.changed_by}</Table.Td>
                <Table.Td>
                  <RelativeTime at={each.changed_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Pager
        page={versions.data.page}
        page_count={versions.data.total_pages}
        total={versions.data.total_count}
        noun="version"
        onChange={next => void navigate({ search: { tab: 'versions', page: next } })}
      />
    </Stack>
  )
}
