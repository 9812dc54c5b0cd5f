// The table for every list: sortable columns, a head that stays in view, density, and stacked rows if there
// is no room for columns. Other tables are only for a few fixed rows.
import { Box, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import styles from './data-table.module.css'
import { type Column, flipSort, type Sort, sortRows } from './sort-rows.ts'
import { uiTexts as texts } from './texts.ts'

const ICON_SIZE = 14
const ICONS = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort }

export interface DataTableProps<Row> {
  /** Describes the items; screen readers announce it. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  getKey: (row: Row) => string
  /** Whether the list has more pages: then sorting orders only the rows of this page, and the table mentions that. */
  isPart?: boolean
  /** Set if the server sorts the list. */
  server?: { sort: Sort | undefined; onSort: (sort: Sort) => void }
  /** For tables with too many columns for a phone in landscape. */
  isWide?: boolean
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, getKey, isPart = false, server, isWide = false } = props
  const [own, setOwn] = useState<Sort>()
  const sort = server ? server.sort : own
  const shown = server ? rows : sortRows(rows, columns, own)
  return (
    <div className={styles.place}>
      {isPart && !server && own && (
        <Text size="sm" c="dimmed" role="status">
          {texts.table.sortsPage}
        </Text>
      )}
      {/* Scrollable by keyboard where it is wider than its place. */}
      <Box
        className={isWide ? styles.wide : styles.scroll}
        tabIndex={0}
        role="group"
        aria-label={texts.table.label}
      >
        <Table highlightOnHover className={styles.table} role="table">
          <Table.Caption className={styles.caption}>
            <VisuallyHidden>{caption}</VisuallyHidden>
          </Table.Caption>
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map(column => (
                <Head key={column.title} column={column} sort={sort} onSort={server?.onSort ?? setOwn} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            {shown.map(row => (
              <Table.Tr key={getKey(row)} role="row">
                {columns.map(column => (
                  <Cell key={column.title} title={column.title}>
                    {column.render(row)}
                  </Cell>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
    </div>
  )
}

interface HeadProps<Row> {
  column: Column<Row>
  sort: Sort | undefined
  onSort: (sort: Sort) => void
}

function Head<Row>({ column, sort, onSort }: HeadProps<Row>) {
  const { title, sortBy, key = title } = column
  if (!sortBy && !column.key)
    return (
      <Table.Th role="columnheader" scope="col">
        {title}
      </Table.Th>
    )
  const order = sort?.key === key ? sort.order : 'none'
  const Icon = ICONS[order]
  return (
    <Table.Th role="columnheader" scope="col" aria-sort={order}>
      <UnstyledButton
        className={styles.sort}
        title={texts.table.sortBy(title)}
        onClick={() => onSort(flipSort(sort, key, column.first))}
      >
        {title}
        <Icon size={ICON_SIZE} aria-hidden="true" data-sorted={order !== 'none' || undefined} />
      </UnstyledButton>
    </Table.Th>
  )
}

/** Stacked rows show the title of the column here; the heads are hidden there. */
function Cell({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Table.Td role="cell" data-title={title}>
      <div className={styles.value}>{children}</div>
    </Table.Td>
  )
}
