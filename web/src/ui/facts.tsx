// A table of names and values, one per line.
import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './text.module.css'

/** Omits rows without a value. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  const known = rows.filter(([, value]) => value !== undefined && value !== null && value !== '')
  return (
    <Table withRowBorders={false} verticalSpacing={4} horizontalSpacing="xs" layout="fixed">
      <Table.Tbody>
        {known.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w="8em" className={styles.top} fw={500}>
              {name}
            </Table.Th>
            <Table.Td className="long-name">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
