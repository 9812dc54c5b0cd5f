// All policies of an org: what each is for and where it is attached.
import { Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { apiPath, curl } from '../../parts/curl.ts'
import { EnvironmentLinks } from '../../parts/link-lists.tsx'
import { PolicyLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { policiesQuery } from '../../parts/queries.ts'
import { useRole } from '../../parts/use-role.ts'
import { TextFilter } from '../../ui/filters.tsx'
import { ButtonLink } from '../../ui/page-link.tsx'
import { defined } from '../../ui/search-params.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import type { Policy } from './queries.ts'

export function PoliciesPage() {
  const { org } = useParams({ from: '/$org/policies' })
  const { name = '' } = useSearch({ from: '/$org/policies' })
  const navigate = useNavigate({ from: '/$org/policies' })
  const { isMember } = useRole(org)
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>Policies</Title>
        {isMember && (
          <ButtonLink to="/$org/new-policy" params={{ org }}>
            New policy
          </ButtonLink>
        )}
      </Group>
      <TextFilter
        label="Search"
        placeholder="Name or description"
        value={name}
        onChange={text => void navigate({ search: defined({ name: text }), replace: true })}
      />
      <Policies org={org} name={name} />
    </Stack>
  )
}

function Policies({ org, name }: { org: string; name: string }) {
  const policies = useQuery(policiesQuery(org))
  if (policies.isPending) return <Loading />
  if (policies.error) return <Failed error={policies.error} />
  if (policies.data.length === 0) return <NoPolicies org={org} />
  const wanted = name.toLowerCase()
  const shown = policies.data.filter(policy =>
    `${policy.name} ${policy.description}`.toLowerCase().includes(wanted),
  )
  if (shown.length === 0) return <Empty title="No policy is like that">Try another part of its name.</Empty>
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Policy</Table.Th>
            <Table.Th>Attached to</Table.Th>
            <Table.Th>Version</Table.Th>
            <Table.Th>Last change</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(policy => (
            <Row key={policy.name} org={org} policy={policy} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Row({ org, policy }: { org: string; policy: Policy }) {
  const latest = policy.versions.at(-1)
  return (
    <Table.Tr>
      <Table.Td>
        <PolicyLink org={org} policy={policy.name} />
        <Text size="sm" c="dimmed" lineClamp={2}>
          {policy.description}
        </Text>
      </Table.Td>
      <Table.Td>
        <EnvironmentLinks org={org} names={policy.consuming_envs} />
      </Table.Td>
      <Table.Td>{latest?.version}</Table.Td>
      <Table.Td>
        <Moment at={latest?.timestamp} />
        {latest && (
          <Text size="sm" c="dimmed">
            by {latest.created_by}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function NoPolicies({ org }: { org: string }) {
  const policy_yaml =
    '_schema: https://waybill.example/schemas/policy/environment/v1\nartifacts:\n  provenance:\n    required: true\n'
  const command = curl('PUT', apiPath('policies', org, 'provenance-required'), { policy_yaml })
  return (
    <Empty title="No policies yet" command={command}>
      A policy says what may run in the environments it is attached to. Without one their compliance is
      unknown.
    </Empty>
  )
}
