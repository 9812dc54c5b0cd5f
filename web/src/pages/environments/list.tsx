// All environments of an org: what is red first.
import { Stack, Table, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ComplianceBadge } from '../../parts/compliance-badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { environmentsQuery } from './queries.ts'

/** Red, then unknown, then green; by name among equals. */
const rank = (state: boolean | null) => (state === false ? 0 : state === null ? 1 : 2)

export function EnvironmentsPage() {
  const { org } = useParams({ from: '/$org/environments' })
  const { name = '' } = useSearch({ from: '/$org/environments' })
  const navigate = useNavigate({ from: '/$org/environments' })
  return (
    <Stack>
      <Title order={1}>Environments</Title>
      <TextInput
        aria-label="Filter by name"
        placeholder="Filter by name"
        value={name}
        maw={320}
        onChange={({ currentTarget }) =>
          void navigate({
            search: currentTarget.value === '' ? {} : { name: currentTarget.value },
            replace: true,
          })
        }
      />
      <EnvironmentTable org={org} name={name} />
    </Stack>
  )
}

export function EnvironmentTable({ org, name = '' }: { org: string; name?: string }) {
  const environments = useQuery(environmentsQuery(org))
  if (environments.isPending) return <Loading />
  if (environments.error) return <Failed error={environments.error} />
  const shown = environments.data
    .filter(each => each.name.toLowerCase().includes(name.toLowerCase()))
    .sort((a, b) => rank(a.state) - rank(b.state) || a.name.localeCompare(b.name))
  if (shown.length === 0) {
    const body = '{"name": "production", "type": "K8S", "description": ""}'
    const address = `${window.location.origin}/api/v2/environments/${org}`
    return (
      <Empty
        title={name === '' ? 'No environments yet' : 'No environment has such a name'}
        command={`curl -X PUT ${address} -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d '${body}'`}
      >
        An environment is a place where artifacts run.
      </Empty>
    )
  }
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Compliance</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>Last change</Table.Th>
            <Table.Th>Last report</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(each => (
            <Table.Tr key={each.name}>
              <Table.Td>
                <Link to="/$org/environments/$environment" params={{ org, environment: each.name }}>
                  {each.name}
                </Link>
              </Table.Td>
              <Table.Td>
                <ComplianceBadge compliant={each.state} />
              </Table.Td>
              <Table.Td>{each.type}</Table.Td>
              <Table.Td>
                <Moment at={each.last_changed_at} />
              </Table.Td>
              <Table.Td>
                <Moment at={each.last_reported_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
