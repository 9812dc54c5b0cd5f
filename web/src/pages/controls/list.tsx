// The controls of an organization, with search, tag and archive filters.
import { Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { PolicyLinks } from '../../parts/link-lists.tsx'
import { ControlLink } from '../../parts/links.tsx'
import { TagList } from '../../parts/tags.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ButtonLink } from '../../ui/page-link.tsx'
import { Pager } from '../../ui/pager.tsx'
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
        {texts.list.coverage}
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
      <Table.ScrollContainer minWidth={560}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.list.identifier}</Table.Th>
              <Table.Th>{texts.list.name}</Table.Th>
              <Table.Th>{texts.list.tags}</Table.Th>
              <Table.Th>{texts.list.requiredBy}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {controls.data.controls.map(control => (
              <Row key={control.identifier} org={org} control={control} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
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

function Row({ org, control }: { org: string; control: Control }) {
  const { identifier, name, description, tags, version, policies_referencing } = control
  return (
    <Table.Tr>
      <Table.Td>
        <ControlLink org={org} identifier={identifier} />
        <Text size="xs" c="dimmed">
          {texts.list.version(version)}
        </Text>
      </Table.Td>
      <Table.Td>
        {name}
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      </Table.Td>
      <Table.Td>
        <TagList
          tags={tags}
          search={tag => ({ to: '/$org/controls', params: { org }, search: { tag: [tag] } })}
        />
      </Table.Td>
      <Table.Td>
        <PolicyLinks org={org} names={policies_referencing} />
      </Table.Td>
    </Table.Tr>
  )
}

function NoControls({ org }: { org: string }) {
  const body = { identifier: 'SDLC-7', name: 'Every change is reviewed' }
  return (
    <Empty title={texts.list.none} command={buildCurl('POST', buildApiPath('controls', org), body)}>
      {texts.list.noneHint}
    </Empty>
  )
}
