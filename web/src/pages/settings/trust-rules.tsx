// The trust rules of an organization, which give CI jobs a short-lived key in exchange for their OIDC token.

import { Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { FlowLink } from '../../parts/links.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { formatRole, useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { formatList } from '../../ui/format-list.ts'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { trustRulesQuery } from './queries.ts'
import { provisioningTexts as texts } from './texts-provisioning.ts'
import { CI_ISSUER, type TrustRule } from './trust-rule-draft.ts'

export function TrustRulesPage() {
  const { org } = useParams({ from: '/$org/settings/trust-rules' })
  const { isAdmin } = useRole(org)
  return (
    <Stack>
      <Crumbs here={texts.trustRules.title}>
        <PageLink to="/$org/settings" params={{ org }}>
          {texts.crumbs.settings}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.trustRules.title}</Title>
      <ForRole org={org} minRole="admin" what={texts.trustRules.what} verb="see">
        <Text>{texts.trustRules.help}</Text>
        {isAdmin && (
          <Group>
            <ButtonLink to="/$org/settings/new-trust-rule" params={{ org }}>
              {texts.trustRules.create}
            </ButtonLink>
          </Group>
        )}
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
    <Empty
      title={texts.trustRules.empty}
      command={buildCurl('POST', buildApiPath('trust-rules', org), EXAMPLE)}
    >
      {texts.trustRules.emptyHelp}
    </Empty>
  )
}

function RuleTable({ org, rules }: { org: string; rules: TrustRule[] }) {
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table highlightOnHover aria-label={texts.trustRules.label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.trustRules.name}</Table.Th>
            <Table.Th>{texts.trustRules.issuer}</Table.Th>
            <Table.Th>{texts.trustRules.claims}</Table.Th>
            <Table.Th>{texts.trustRules.key}</Table.Th>
            <Table.Th>{texts.trustRules.lastUsed}</Table.Th>
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
                  {texts.trustRules.permissions(formatList(operations), formatRole(privilege))}
                  {flow_name !== null && (
                    <>
                      {texts.trustRules.inFlow} <FlowLink org={org} flow={flow_name} />
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
