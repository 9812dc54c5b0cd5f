// The controls of an org, with search, tags and archive.
import { Anchor, Badge, Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useRole } from '../../parts/use-role.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { ControlFilters } from './control-filters.tsx'
import { ExportLinks } from './export-links.tsx'
import { Paging } from './paging.tsx'
import { PolicyLinks } from './policy-links.tsx'
import { type Control, controlsQuery } from './queries.ts'

export function ControlsPage() {
  const { org } = useParams({ from: '/$org/controls' })
  const { isAdmin } = useRole(org)
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>Controls</Title>
        <Group gap="xs">
          <Button
            variant="default"
            renderRoot={props => <Link to="/$org/control-coverage" params={{ org }} {...props} />}
          >
            Coverage
          </Button>
          <ExportLinks org={org} />
          {isAdmin && (
            <>
              <Button
                variant="default"
                renderRoot={props => <Link to="/$org/import-controls" params={{ org }} {...props} />}
              >
                Import
              </Button>
              <Button renderRoot={props => <Link to="/$org/new-control" params={{ org }} {...props} />}>
                New control
              </Button>
            </>
          )}
        </Group>
      </Group>
      <ControlFilters />
      <Controls org={org} />
    </Stack>
  )
}

function Controls({ org }: { org: string }) {
  const search = useSearch({ from: '/$org/controls' })
  const navigate = useNavigate({ from: '/$org/controls' })
  const controls = useQuery(controlsQuery(org, search))
  if (controls.isPending) return <Loading />
  if (controls.error) return <Failed error={controls.error} />
  if (controls.data.total_count === 0)
    return search.search === undefined && search.tag === undefined && !search.archived ? (
      <NoControls org={org} />
    ) : (
      <Empty title="No control is like that">Take a filter away.</Empty>
    )
  return (
    <>
      <Table.ScrollContainer minWidth={560}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Identifier</Table.Th>
              <Table.Th>Name</Table.Th>
              <Table.Th>Tags</Table.Th>
              <Table.Th>Asked for by</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {controls.data.controls.map(control => (
              <Row key={control.identifier} org={org} control={control} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Paging
        of={controls.data}
        noun="control"
        onPage={page => void navigate({ search: before => ({ ...before, page }) })}
      />
    </>
  )
}

function Row({ org, control }: { org: string; control: Control }) {
  const { identifier, name, description, tags, version, policies_referencing } = control
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          className="fingerprint"
          renderRoot={props => (
            <Link to="/$org/controls/$identifier" params={{ org, identifier }} {...props} />
          )}
        >
          {identifier}
        </Anchor>
        <Text size="xs" c="dimmed">
          version {version}
        </Text>
      </Table.Td>
      <Table.Td>
        {name}
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          {Object.entries(tags).map(([key, value]) => (
            <Badge
              key={key}
              variant="default"
              tt="none"
              renderRoot={props => (
                <Link
                  to="/$org/controls"
                  params={{ org }}
                  search={{ tag: [`${key}:${String(value)}`] }}
                  {...props}
                />
              )}
            >
              {key}: {String(value)}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>
        <PolicyLinks org={org} names={policies_referencing} />
      </Table.Td>
    </Table.Tr>
  )
}

function NoControls({ org }: { org: string }) {
  const address = `${window.location.origin}/api/v2/controls/${org}`
  const body = '{"identifier": "SDLC-7", "name": "Every change is reviewed"}'
  return (
    <Empty
      title="No controls yet"
      command={`curl -X POST ${address} -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d '${body}'`}
    >
      A control is a requirement that decisions are made on and that policies ask decisions for.
    </Empty>
  )
}
