// The controls of an organization, with search, tag and archive filters.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { PolicyLinks } from '../../parts/link-lists.tsx'
import { ControlLink } from '../../parts/links.tsx'
import { TagList } from '../../parts/tags.tsx'
import { useRole } from '../../parts/use-role.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { ButtonLink } from '../../ui/page-link.tsx'
import { Pager } from '../../ui/pager.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { ControlFilters } from './control-filters.tsx'
import { ExportLinks } from './export-links.tsx'
import { type Control, controlsQuery } from './queries.ts'
import { controlTexts as texts } from './texts.ts'
import { useHasControls, WithControls } from './with-controls.tsx'

export function ControlsPage() {
  const { org } = useParams({ from: '/$org/controls' })
  const hasControls = useHasControls(org)
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{texts.title}</Title>
        {hasControls && <Actions org={org} />}
      </Group>
      <WithControls org={org}>
        <ControlFilters />
        <Controls org={org} />
      </WithControls>
    </Stack>
  )
}

function Actions({ org }: { org: string }) {
  const { isAdmin } = useRole(org)
  return (
    <Group gap="xs">
      <ButtonLink variant="default" to="/$org/control-coverage" params={{ org }}>
        {texts.list.byEnvironment}
      </ButtonLink>
      <ExportLinks org={org} />
      {isAdmin && (
        <>
          <ButtonLink variant="default" to="/$org/import-controls" params={{ org }}>
            {texts.list.import}
          </ButtonLink>
          <ButtonLink to="/$org/new-control" params={{ org }}>
            {texts.list.newControl}
          </ButtonLink>
        </>
      )}
    </Group>
  )
}

function Controls({ org }: { org: string }) {
  const search = useSearch({ from: '/$org/controls' })
  const navigate = useNavigate({ from: '/$org/controls' })
  const controls = useQuery(controlsQuery(org, search))
  if (controls.isPending) return <Loading />
  if (controls.error) return <ErrorAlert error={controls.error} />
  if (controls.data.total_count === 0)
    return search.search === undefined && search.tag === undefined && !search.archived ? (
      <NoControls org={org} />
    ) : (
      <Empty title={texts.list.noMatch}>{texts.list.noMatchHint}</Empty>
    )
  return (
    <>
      <DataTable
        caption={texts.title}
        columns={listColumns(org)}
        rows={controls.data.controls}
        getKey={({ identifier }) => identifier}
        isPart={controls.data.total_pages > 1}
      />
      <Pager
        page={controls.data.page}
        page_count={controls.data.total_pages}
        total={controls.data.total_count}
        noun="control"
        onChange={page => void navigate({ search: before => ({ ...before, page }) })}
      />
    </>
  )
}

const listColumns = (org: string): Column<Control>[] => [
  {
    title: texts.list.identifier,
    sortBy: ({ identifier }) => identifier,
    render: ({ identifier, version }) => (
      <>
        <ControlLink org={org} identifier={identifier} />
        <Text size="xs" c="dimmed">
          {texts.list.version(version)}
        </Text>
      </>
    ),
  },
  {
    title: texts.list.name,
    sortBy: ({ name }) => name,
    render: ({ name, description }) => (
      <>
        {name}
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      </>
    ),
  },
  {
    title: texts.list.tags,
    render: ({ tags }) => (
      <TagList
        tags={tags}
        search={tag => ({ to: '/$org/controls', params: { org }, search: { tag: [tag] } })}
      />
    ),
  },
  {
    title: texts.list.requiredBy,
    first: 'descending',
    sortBy: ({ policies_referencing }) => policies_referencing.length,
    render: ({ policies_referencing }) => <PolicyLinks org={org} names={policies_referencing} />,
  },
]

function NoControls({ org }: { org: string }) {
  const body = { identifier: 'SDLC-7', name: 'Every change is reviewed' }
  return (
    <Empty title={texts.list.none} command={buildCurl('POST', buildApiPath('controls', org), body)}>
      {texts.list.noneHint}
    </Empty>
  )
}
