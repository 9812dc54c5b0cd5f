// The table of the membership log. The server sorts it, so the order covers all pages.

import { Badge } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { ExactTime } from '../../parts/time.tsx'
import { formatRole } from '../../parts/use-role.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { type Patch, pickOne } from '../../ui/search-params.ts'
import type { Column } from '../../ui/sort-rows.ts'
import { type AuditLogSearch, SORT_KEYS } from './search-params.ts'
import { peopleTexts as texts } from './texts.ts'

type Event = Schemas['MembershipEvent']
type SortKey = (typeof SORT_KEYS)[number]

interface Props {
  events: Event[]
  search: AuditLogSearch
  onChange(changed: Patch<AuditLogSearch>): void
}

export function AuditLogTable({ events, search, onChange }: Props) {
  const { sort_by = 'when', sort_dir = 'desc' } = search
  return (
    <DataTable
      caption={texts.auditLog.caption}
      columns={COLUMNS}
      rows={events}
      getKey={({ id }) => id}
      server={{
        sort: { key: sort_by, order: sort_dir === 'asc' ? 'ascending' : 'descending' },
        onSort: ({ key, order }) =>
          onChange({
            sort_by: pickOne(key, SORT_KEYS),
            sort_dir: order === 'ascending' ? 'asc' : 'desc',
          }),
      }}
    />
  )
}

/** The server starts every order with the last value, and so does the first click. */
const sortAs = (key: SortKey) => ({ key, first: 'descending' as const })

const COLOURS: Record<Event['event_type'], string> = { added: 'green', changed: 'blue', removed: 'red' }

const COLUMNS: Column<Event>[] = [
  {
    title: texts.auditLog.when,
    ...sortAs('when'),
    render: ({ created_at }) => <ExactTime at={created_at} />,
  },
  { title: texts.auditLog.user, ...sortAs('user'), render: ({ user }) => user },
  {
    title: texts.auditLog.change,
    render: ({ event_type }) => (
      <Badge variant="light" color={COLOURS[event_type]}>
        {event_type}
      </Badge>
    ),
  },
  {
    title: texts.auditLog.role,
    ...sortAs('role'),
    render: ({ previous_role, role }) =>
      [previous_role, role]
        .filter(each => each !== '')
        .map(formatRole)
        .join(' → '),
  },
  { title: texts.auditLog.changedBy, ...sortAs('changed_by'), render: ({ changed_by }) => changed_by },
  { title: texts.auditLog.source, ...sortAs('source'), render: ({ source }) => source },
]
