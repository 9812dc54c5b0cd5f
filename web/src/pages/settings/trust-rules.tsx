// Which CI jobs get a key without having a secret, by the token that their CI system gives them.
import { Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { FlowLink } from '../../parts/links.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { formatList } from '../../ui/format-list.ts'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { trustRulesQuery } from './queries.ts'
import { CI_ISSUER, type TrustRule } from './trust-rule-draft.ts'

export function TrustRulesPage() {
  const { org } = useParams({ from: '/$org/settings/trust-rules' })
  return (
    <Stack>
      <Crumbs here="Builds without keys">
        <PageLink to="/$org/settings" params={{ org }}>
          Settings
        </PageLink>
      </Crumbs>
      <Title order={1}>Builds without keys</Title>
      <ForRole org={org} minRole="admin" what="the rules for builds" verb="see">
        <Text>
          A CI job whose token fits a rule gets a key that is good for 15 minutes, so that no secret lies in
          the CI system. Rules are tried by name; the first that fits counts.
        </Text>
        <Group>
          <ButtonLink to="/$org/settings/new-trust-rule" params={{ org }}>
            New rule
          </ButtonLink>
        </Group>
        <Rules org={org} />
      </ForRole>
    </Stack>
  )
}

const EXAMPLE = {
  name: 'backend-main',
  issuer: CI_ISSUER,
  claims: { repository_id: '74', ref: 'refs/heads/main' },
  privilege: 'member',
}

function Rules({ org }: { org: string }) {
  const rules = useQuery(trustRulesQuery(org))
  if (rules.isPending) return <Loading rows={2} />
  if (rules.error) return <ErrorAlert error={rules.error} />
  if (rules.data.length > 0) return <RuleTable org={org} rules={rules.data} />
  return (
    <Empty title="No rules" command={buildCurl('POST', buildApiPath('trust-rules', org), EXAMPLE)}>
      Until there is one, every build needs a key of a service account.
    </Empty>
  )
}

function RuleTable({ org, rules }: { org: string; rules: TrustRule[] }) {
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table highlightOnHover aria-label="Rules">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Whose tokens</Table.Th>
            <Table.Th>What they must say</Table.Th>
            <Table.Th>The key may</Table.Th>
            <Table.Th>Last used</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rules.map(
            ({ name, description, issuer, claims, privilege, operations, flow_name, last_used_at }) => (
              <Table.Tr key={name}>
                <Table.Td>
                  <PageLink to="/$org/settings/trust-rules/$name" params={{ org, name }}>
                    {name}
                  </PageLink>
                  <Text size="sm">{description}</Text>
                </Table.Td>
                <Table.Td className="fingerprint">{issuer}</Table.Td>
                <Table.Td className="fingerprint">
                  {Object.entries(claims).map(([claim, value]) => (
                    <div key={claim}>
                      {claim}: {value}
                    </div>
                  ))}
                </Table.Td>
                <Table.Td>
                  {formatList(operations)}, as {privilege}
                  {flow_name !== null && (
                    <>
                      , in <FlowLink org={org} flow={flow_name} />
                    </>
                  )}
                </Table.Td>
                <Table.Td>
                  <RelativeTime at={last_used_at} />
                </Table.Td>
              </Table.Tr>
            ),
          )}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
