// One control: its definition, and tabs with the decisions on it, where it is asked for, and its versions.
import { Alert, Anchor, Badge, Breadcrumbs, Button, Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Moment } from '../../parts/moment.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { ControlLinks } from './control-links.tsx'
import { ControlTags } from './control-tags.tsx'
import { Coverage } from './coverage.tsx'
import { Decisions } from './decisions.tsx'
import { PolicyLinks } from './policy-links.tsx'
import { type Control, controlQuery, moveControl } from './queries.ts'
import { CONTROL_TABS } from './search.ts'
import { Versions } from './versions.tsx'

export function ControlPage() {
  const { org, identifier } = useParams({ from: '/$org/controls/$identifier' })
  const control = useQuery(controlQuery(org, identifier))
  return (
    <Stack>
      <Breadcrumbs>
        <Anchor renderRoot={props => <Link to="/$org/controls" params={{ org }} {...props} />}>
          Controls
        </Anchor>
        <Text>{identifier}</Text>
      </Breadcrumbs>
      {control.isPending ? (
        <Loading />
      ) : control.error ? (
        <Failed error={control.error} />
      ) : (
        <>
          <Definition org={org} control={control.data} />
          <ControlTabs org={org} identifier={identifier} />
        </>
      )}
    </Stack>
  )
}

function Definition({ org, control }: { org: string; control: Control }) {
  const { isAdmin } = useRole(org)
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="start">
        <Stack gap={4}>
          <Title order={1}>{control.name}</Title>
          <Group gap="xs">
            <Text className="fingerprint">{control.identifier}</Text>
            <Badge variant="default" tt="none">
              version {control.version}
            </Badge>
            {control.archived && <Badge color="gray">ARCHIVED</Badge>}
          </Group>
        </Stack>
        {isAdmin && <Changes org={org} control={control} />}
      </Group>
      {control.archived && (
        <Alert color="gray">It is archived: kept, and not offered for anything new.</Alert>
      )}
      {control.description !== null && <Text>{control.description}</Text>}
      <ControlLinks links={control.links} />
      <ControlTags org={org} control={control} isAdmin={isAdmin} />
      <Group gap="xs">
        <Text size="sm">Asked for by</Text>
        <PolicyLinks org={org} names={control.policies_referencing} />
      </Group>
      <Text size="sm" c="dimmed">
        Created by {control.created_by}, <Moment at={control.created_at} />. Last changed{' '}
        <Moment at={control.last_modified_at} />.
      </Text>
    </Stack>
  )
}

function Changes({ org, control }: { org: string; control: Control }) {
  const moving = useMutation({ mutationFn: () => moveControl(org, control) })
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {!control.archived && (
          <Button
            renderRoot={props => (
              <Link
                to="/$org/controls/$identifier/edit"
                params={{ org, identifier: control.identifier }}
                {...props}
              />
            )}
          >
            Edit
          </Button>
        )}
        <Button variant="default" loading={moving.isPending} onClick={() => moving.mutate()}>
          {control.archived ? 'Unarchive' : 'Archive'}
        </Button>
      </Group>
      {moving.error && <Failed error={moving.error} />}
    </Stack>
  )
}

const LABELS = { decisions: 'Decisions', coverage: 'Coverage', versions: 'Versions' } as const

function ControlTabs({ org, identifier }: { org: string; identifier: string }) {
  const { tab = 'decisions' } = useSearch({ from: '/$org/controls/$identifier' })
  const navigate = useNavigate({ from: '/$org/controls/$identifier' })
  return (
    <Tabs
      value={tab}
      keepMounted={false}
      onChange={wanted => {
        const chosen = CONTROL_TABS.find(each => each === wanted)
        if (chosen) void navigate({ search: { tab: chosen }, resetScroll: false })
      }}
    >
      <Tabs.List>
        {CONTROL_TABS.map(each => (
          <Tabs.Tab key={each} value={each}>
            {LABELS[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="decisions" pt="md">
        <Decisions org={org} identifier={identifier} />
      </Tabs.Panel>
      <Tabs.Panel value="coverage" pt="md">
        <Coverage org={org} identifier={identifier} />
      </Tabs.Panel>
      <Tabs.Panel value="versions" pt="md">
        <Versions org={org} identifier={identifier} />
      </Tabs.Panel>
    </Tabs>
  )
}
