// The log of deliveries.
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
import { type Delivery, EVENTS, KINDS } from './codes.ts'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { DeliveryFilters } from './delivery-filters.tsx'
import { PausedLine } from './paused-note.tsx'
import { deliveriesQuery } from './queries.ts'
import { ReplayRange } from './replay-range.tsx'
import type { DeliverySearch } from './search.ts'
import { StatusBadge } from './status-badge.tsx'
import { notificationsTexts } from './texts.ts'
import { deliveriesTexts as texts } from './texts-deliveries.ts'

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
      <Crumbs here={texts.deliveries.title}>
        <PageLink to="/$org/settings" params={{ org }}>
          {notificationsTexts.crumbs.settings}
        </PageLink>
        <PageLink to="/$org/settings/notifications" params={{ org }}>
          {notificationsTexts.crumbs.notifications}
        </PageLink>
      </Crumbs>
      <Group justify="space-between">
        <Title order={1}>{texts.deliveries.title}</Title>
        {isMember && (
          <Button variant="default" onClick={open}>
            {texts.deliveries.resendRange}
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
        <NoDeliveries org={org} search={search} hasMore={next !== null} />
      ) : (
        <DeliveryTable org={org} search={search} deliveries={shown} />
      )}
      <Pages search={search} next={next} />
    </>
  )
}

function NoDeliveries({ org, search, hasMore }: ListProps & { hasMore: boolean }) {
  if (hasMore) return <Empty title={texts.deliveries.emptyPage}>{texts.deliveries.emptyPageHelp}</Empty>
  if (Object.keys(search).length > 0) return <Empty title={texts.deliveries.noMatch} />
  const path = buildApiPath('organizations', org, 'environments_notifications', '1', 'test')
  return (
    <Empty title={texts.deliveries.empty} command={buildCurl('POST', path)}>
      {texts.deliveries.emptyHelp}
    </Empty>
  )
}

function DeliveryTable({ org, search, deliveries }: ListProps & { deliveries: Delivery[] }) {
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table highlightOnHover aria-label={texts.deliveries.label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.deliveries.status}</Table.Th>
            <Table.Th>{texts.deliveries.message}</Table.Th>
            <Table.Th>{texts.deliveries.to}</Table.Th>
            <Table.Th>{texts.deliveries.created}</Table.Th>
            <Table.Th>{texts.deliveries.attempts}</Table.Th>
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
                {each.status === 'pending' && <PausedLine target={each.target} />}
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
      noun={texts.deliveries.noun}
      onFirst={cursor === undefined ? undefined : () => void navigate({ search: first })}
      onNext={next === null ? undefined : () => void navigate({ search: { ...first, cursor: next } })}
    />
  )
}
