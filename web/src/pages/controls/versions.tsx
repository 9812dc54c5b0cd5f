// The versions of a control: each definition, who changed it and when.
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Pager } from '../../ui/pager.tsx'
import type { Column } from '../../ui/sort-rows.ts'
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
      <DataTable
        caption={texts.detail.tabs.versions}
        columns={COLUMNS}
        rows={versions.data.versions}
        getKey={({ version }) => String(version)}
        isPart={versions.data.total_pages > 1}
      />
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

const COLUMNS: readonly Column<Schemas['ControlVersion']>[] = [
  { title: texts.versions.version, sortBy: ({ version }) => version, render: ({ version }) => version },
  { title: texts.versions.change, sortBy: ({ kind }) => kind, render: ({ kind }) => kind },
  {
    title: texts.versions.definition,
    sortBy: ({ name }) => name,
    render: ({ name, description, links }) => (
      <>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        {description !== null && <Text size="sm">{description}</Text>}
        <ControlLinks links={links} />
      </>
    ),
  },
  {
    title: texts.versions.changedBy,
    sortBy: ({ changed_by }) => changed_by,
    render: ({ changed_by }) => changed_by,
  },
  {
    title: texts.versions.changed,
    first: 'descending',
    sortBy: ({ changed_at }) => changed_at,
    render: ({ changed_at }) => <RelativeTime at={changed_at} />,
  },
]
