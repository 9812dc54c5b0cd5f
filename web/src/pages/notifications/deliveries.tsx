// The delivery log.
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { CursorPager } from '../../ui/pager.tsx'
import type { Column } from '../../ui/sort-rows.ts'
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
        <DeliveryTable
          org={org}
          search={search}
          deliveries={shown}
          isPart={next !== null || 'cursor' in search}
        />
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

interface TableProps {
  deliveries: Delivery[]
  isPart: boolean
}

function DeliveryTable({ org, search, deliveries, isPart }: ListProps & TableProps) {
  return (
    <DataTable
      caption={texts.deliveries.label}
      columns={listColumns(org, search)}
      rows={deliveries}
      getKey={({ id }) => id}
      isPart={isPart}
    />
  )
}

const listColumns = (org: string, search: DeliverySearch): Column<Delivery>[] => [
  {
    title: texts.deliveries.status,
    sortBy: ({ status }) => status,
    render: ({ status }) => <StatusBadge status={status} />,
  },
  { title: texts.deliveries.message, render: each => <Message org={org} search={search} delivery={each} /> },
  {
    title: texts.deliveries.to,
    sortBy: ({ target }) => target.shown,
    render: ({ target }) => (
      <>
        {KINDS[target.type]}: <span className="fingerprint">{target.shown}</span>
      </>
    ),
  },
  {
    title: texts.deliveries.created,
    first: 'descending',
    sortBy: ({ created_at }) => created_at,
    render: ({ created_at }) => <RelativeTime at={created_at} />,
  },
  {
    title: texts.deliveries.attempts,
    first: 'descending',
    sortBy: ({ attempts }) => attempts,
    render: ({ attempts }) => attempts,
  },
]

function Message({ org, search, delivery }: ListProps & { delivery: Delivery }) {
  return (
    <>
      <PageLink to={PAGE} params={{ org }} search={{ ...search, delivery: delivery.id }}>
        {delivery.description}
      </PageLink>
      <Text size="sm" c="dimmed">
        {EVENTS[delivery.event_type]}
        {delivery.notification && `, ${delivery.notification.name}`}
      </Text>
      {delivery.error !== null && <Text size="sm">{delivery.error}</Text>}
      {delivery.status === 'pending' && <PausedLine target={delivery.target} />}
    </>
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
