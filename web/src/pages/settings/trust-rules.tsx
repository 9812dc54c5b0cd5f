// The trust rules of an organization, which give CI jobs a short-lived key in exchange for their OIDC token.

import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { FlowLink } from '../../parts/links.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { formatRole, ROLES, useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { formatList } from '../../ui/format-list.ts'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import type { Column } from '../../ui/sort-rows.ts'
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
    <DataTable
      caption={texts.trustRules.label}
      columns={listColumns(org, rules)}
      rows={rules}
      getKey={({ name }) => name}
    />
  )
}

const listColumns = (org: string, rules: readonly TrustRule[]): Column<TrustRule>[] => [
  {
    title: texts.trustRules.name,
    // The server's evaluation order: it compares names differently from a table.
    sortBy: rule => rules.indexOf(rule),
    render: ({ name, description }) => (
      <>
        <PageLink to="/$org/settings/trust-rules/$name" params={{ org, name }}>
          {name}
        </PageLink>
        <Text size="sm">{description}</Text>
      </>
    ),
  },
  {
    title: texts.trustRules.issuer,
    sortBy: ({ issuer }) => issuer,
    render: ({ issuer }) => <span className="fingerprint">{issuer}</span>,
  },
  {
    title: texts.trustRules.claims,
    render: ({ claims }) =>
      Object.entries(claims).map(([claim, value]) => (
        <div key={claim} className="fingerprint">
          {claim}: {value}
        </div>
      )),
  },
  {
    title: texts.trustRules.key,
    sortBy: ({ privilege }) => ROLES.indexOf(privilege),
    render: ({ operations, privilege, flow_name }) => (
      <>
        {texts.trustRules.permissions(formatList(operations), formatRole(privilege))}
        {flow_name !== null && (
          <>
            {texts.trustRules.inFlow} <FlowLink org={org} flow={flow_name} />
          </>
        )}
      </>
    ),
  },
  {
    title: texts.trustRules.lastUsed,
    first: 'descending',
    sortBy: ({ last_used_at }) => last_used_at,
    render: ({ last_used_at }) => <RelativeTime at={last_used_at} />,
  },
]
