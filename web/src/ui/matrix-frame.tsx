// The frame of a matrix. It scrolls in both directions, and its head and its first column stay in view.
import { Box, Table, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './matrix-frame.module.css'
import { uiTexts as texts } from './texts.ts'

const FIRST_COLUMN_PX = 160
const COLUMN_PX = 136

interface MatrixFrameProps {
  /** Describes what is compared; screen readers announce it. */
  caption: string
  /** The head of the first column. */
  rows: string
  columns: readonly { key: string; head: ReactNode }[]
  /** The rows: each is a `MatrixRow`. */
  children: ReactNode
}

export function MatrixFrame({ caption, rows, columns, children }: MatrixFrameProps) {
  return (
    // Scrollable by keyboard.
    <Box className={`whole-width ${styles.scroll}`} tabIndex={0} role="group" aria-label={texts.table.label}>
      <Table withColumnBorders className={styles.table} miw={FIRST_COLUMN_PX + columns.length * COLUMN_PX}>
        <VisuallyHidden component="caption">{caption}</VisuallyHidden>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" className={styles.first}>
              {rows}
            </Table.Th>
            {columns.map(({ key, head }) => (
              <Table.Th key={key} scope="col">
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Box>
  )
}

/** The head is the first cell; the others follow as `Table.Td`. */
export function MatrixRow({ head, children }: { head: ReactNode; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} className={styles.first}>
        {head}
      </Table.Th>
      {children}
    </Table.Tr>
  )
}
