// The custom attestation types of an organization.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { ArchivedSwitch, buildListTitle } from '../../parts/archived.tsx'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { AttestationTypeLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { typesQuery } from './queries.ts'
import { typeTexts as texts } from './texts.ts'

export function AttestationTypesPage() {
  const { org } = useParams({ from: '/$org/attestation-types' })
  const search = useSearch({ from: '/$org/attestation-types' })
  const types = useQuery(typesQuery(org, search))
  const { isMember } = useRole(org)
  return (
    <Stack>
      <Crumbs here={texts.customTypes}>
        <PageLink to="/$org/attestations" params={{ org }}>
          {texts.attestations}
        </PageLink>
      </Crumbs>
      <Group justify="space-between">
        <Title order={1}>{buildListTitle(texts.list.title, search.archived)}</Title>
        {isMember && (
          <ButtonLink to="/$org/new-attestation-type" params={{ org }}>
            {texts.create.title}
          </ButtonLink>
        )}
      </Group>
      <Text>{texts.list.intro}</Text>
      {types.isPending ? (
        <Loading />
      ) : types.error ? (
        <ErrorAlert error={types.error} />
      ) : (
        <>
          <ArchivedSwitch
            list="/$org/attestation-types"
            org={org}
            noun="type"
            search={search}
            archived_count={types.data.archived_count}
          />
          {types.data.types.length === 0 ? (
            <NoTypes org={org} isArchived={search.archived} archived_count={types.data.archived_count} />
          ) : (
            <TypeTable org={org} types={types.data.types} />
          )}
        </>
      )}
    </Stack>
  )
}

type AttestationType = Schemas['CustomAttestationTypeList'][number]

function TypeTable({ org, types }: { org: string; types: readonly AttestationType[] }) {
  return (
    <DataTable
      caption={texts.list.title}
      columns={listColumns(org)}
      rows={types}
      getKey={({ name }) => name}
    />
  )
}

const listColumns = (org: string): Column<AttestationType>[] => [
  {
    title: texts.list.type,
    sortBy: ({ name }) => name,
    render: ({ name, description }) => (
      <>
        <AttestationTypeLink org={org} type={`custom:${name}`} />
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      </>
    ),
  },
  {
    title: texts.list.version,
    sortBy: ({ versions }) => versions[0]?.version,
    render: ({ versions }) => versions[0]?.version,
  },
  {
    title: texts.list.lastChange,
    first: 'descending',
    sortBy: ({ last_modified_at }) => last_modified_at,
    render: ({ last_modified_at }) => <RelativeTime at={last_modified_at} />,
  },
]

interface NoneProps {
  org: string
  isArchived: true | undefined
  archived_count: number
}

function NoTypes({ org, isArchived, archived_count }: NoneProps) {
  if (isArchived) return <Empty title={texts.list.noneArchived} />
  if (archived_count > 0) return <Empty title={texts.list.allArchived} />
  const command = buildCurl('POST', buildApiPath('custom-attestation-types', org), {
    name: 'coverage',
    description: 'How much of the code the tests reach',
    evaluator: { content_type: 'jq', rules: ['.percent >= 80'] },
    summary: [{ name: 'Coverage', expression: '.percent' }],
    type_schema: { type: 'object', properties: { percent: { type: 'number' } }, required: ['percent'] },
  })
  return (
    <Empty title={texts.list.none} command={command}>
      {texts.list.noneHint}
    </Empty>
  )
}
