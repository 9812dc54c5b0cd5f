// The log of what was sent and what became of it.
import { Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { CursorPager } from '../../ui/pager.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { DeliveryFilters } from './delivery-filters.tsx'
import { deliveriesQuery } from './queries.ts'
import { ReplayRange } from './replay-range.tsx'
import type { DeliverySearch } from './routes.ts'
import { StatusBadge } from './status-badge.tsx'
import { type Delivery, EVENTS, KINDS } from './words.ts'

const PAGE = '/$org/settings/notifications/deliveries'

export function DeliveriesPage() {
  const { org } = useParams({ from: PAGE })
  const search = useSearch({ from: PAGE })
  const { isMember } = useRole(org)
  const navigate = useNavigate({ from: PAGE })
  const [isReplaying, { open, close }] = useDisclosure()
  const { delivery, ...list } = search
  return (
    <Stack>
      <Crumbs here="What was sent">
        <PageLink to="/$org/settings" params={{ org }}>
          Settings
        </PageLink>
        <PageLink to="/$org/settings/notifications" params={{ org }}>
          Notifications
        </PageLink>
      </Crumbs>
      <Group justify="space-between">
        <Title order={1}>What was sent</Title>
        {isMember && (
          <Button variant="default" onClick={open}>
            Send a range again
          </Button>
        )}
      </Group>
      <DeliveryFilters
        org={org}
        search={search}
        onChange={chosen => void navigate({ search: chosen, replace: true })}
      />
      <DeliveryList org={org} search={list} />
      <DeliveryDrawer org={org} delivery_id={delivery} onClose={() => void navigate({ search: list })} />
      {isReplaying && <ReplayRange org={org} search={search} onClose={close} />}
    </Stack>
  )
}

interface ListProps {
  org: string
  search: DeliverySearch
}

function DeliveryList({ org, search }: ListProps) {
  const deliveries = useQuery(deliveriesQuery(org, search))
  if (deliveries.isPending) return <Loading />
  if (deliveries.error) return <ErrorAlert error={deliveries.error} />
  const { deliveries: shown, next } = deliveries.data
  return (
    <>
      {shown.length === 0 ? (
        <NothingSent org={org} search={search} hasMore={next !== null} />
      ) : (
        <DeliveryTable org={org} search={search} deliveries={shown} />
      )}
      <Pages search={search} next={next} />
    </>
  )
}

function NothingSent({ org, search, hasMore }: ListProps & { hasMore: boolean }) {
  if (hasMore) return <Empty title="Nothing on this page">There may be more on the next one.</Empty>
  if (Object.keys(search).length > 0) return <Empty title="Nothing was sent that fits the filters" />
  const path = buildApiPath('organizations', org, 'environments_notifications', '1', 'test')
  return (
    <Empty title="Nothing was sent yet" command={buildCurl('POST', path)}>
      Messages appear here when a notification has something to tell, or when a test is sent.
    </Empty>
  )
}

function DeliveryTable({ org, search, deliveries }: ListProps & { deliveries: Delivery[] }) {
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table highlightOnHover aria-label="Deliveries">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Status</Table.Th>
            <Table.Th>What it tells</Table.Th>
            <Table.Th>To</Table.Th>
            <Table.Th>Made</Table.Th>
            <Table.Th>Attempts</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {deliveries.map(each => (
            <Table.Tr key={each.id}>
              <Table.Td>
                <StatusBadge status={each.status} />
              </Table.Td>
              <Table.Td>
                <PageLink to={PAGE} params={{ org }} search={{ ...search, delivery: each.id }}>
                  {each.description}
                </PageLink>
                <Text size="sm" c="dimmed">
                  {EVENTS[each.event_type]}
                  {each.notification && `, ${each.notification.name}`}
                </Text>
                {each.error !== null && <Text size="sm">{each.error}</Text>}
              </Table.Td>
              <Table.Td className="fingerprint">
                {KINDS[each.target.type]}: {each.target.shown}
              </Table.Td>
              <Table.Td>
                <RelativeTime at={each.created_at} />
              </Table.Td>
              <Table.Td>{each.attempts}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Pages({ search, next }: { search: DeliverySearch; next: string | null }) {
  const navigate = useNavigate({ from: PAGE })
  const { cursor, ...first } = search
  return (
    <CursorPager
      noun="message"
      onFirst={cursor === undefined ? undefined : () => void navigate({ search: first })}
      onNext={next === null ? undefined : () => void navigate({ search: { ...first, cursor: next } })}
    />
  )
}
