// The table of the membership log, with sortable columns.

import { Badge, Table, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import type { Schemas } from '../../parts/schemas.ts'
import { ExactTime } from '../../parts/time.tsx'
import { formatRole } from '../../parts/use-role.ts'
import type { AuditLogSearch } from './search-params.ts'
import { peopleTexts as texts } from './texts.ts'

type Event = Schemas['MembershipEvent']
type SortKey = NonNullable<AuditLogSearch['sort_by']>

interface Props {
  events: Event[]
  search: AuditLogSearch
  onChange(changed: AuditLogSearch): void
}

const COLUMNS: readonly { label: string; sort_by?: SortKey }[] = [
  { label: texts.auditLog.when, sort_by: 'when' },
  { label: texts.auditLog.user, sort_by: 'user' },
  { label: texts.auditLog.change },
  { label: texts.auditLog.role, sort_by: 'role' },
  { label: texts.auditLog.changedBy, sort_by: 'changed_by' },
  { label: texts.auditLog.source, sort_by: 'source' },
]

const COLOURS: Record<Event['event_type'], string> = { added: 'green', changed: 'blue', removed: 'red' }

export function AuditLogTable({ events, search, onChange }: Props) {
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {COLUMNS.map(({ label, sort_by }) =>
              sort_by ? (
                <SortHeader key={label} label={label} sort_by={sort_by} search={search} onChange={onChange} />
              ) : (
                <Table.Th key={label}>{label}</Table.Th>
              ),
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map(({ id, event_type, user, changed_by, role, previous_role, source, created_at }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <ExactTime at={created_at} />
              </Table.Td>
              <Table.Td>{user}</Table.Td>
              <Table.Td>
                <Badge variant="light" color={COLOURS[event_type]}>
                  {event_type}
                </Badge>
              </Table.Td>
              <Table.Td>
                {[previous_role, role]
                  .filter(each => each !== '')
                  .map(formatRole)
                  .join(' → ')}
              </Table.Td>
              <Table.Td>{changed_by}</Table.Td>
              <Table.Td>{source}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

interface HeaderProps extends Omit<Props, 'events'> {
  label: string
  sort_by: SortKey
}

function SortHeader({ label, sort_by, search, onChange }: HeaderProps) {
  const { sort_by: current = 'when', sort_dir = 'desc' } = search
  const isCurrent = current === sort_by
  const Icon = !isCurrent ? IconArrowsSort : sort_dir === 'asc' ? IconArrowUp : IconArrowDown
  const next = isCurrent && sort_dir === 'desc' ? 'asc' : 'desc'
  return (
    <Table.Th aria-sort={!isCurrent ? 'none' : sort_dir === 'asc' ? 'ascending' : 'descending'}>
      <UnstyledButton fw={700} fz="sm" onClick={() => onChange({ sort_by, sort_dir: next })}>
        {label} <Icon size={14} aria-hidden />
      </UnstyledButton>
    </Table.Th>
  )
}
