// Where a page is, and the way back up: links to the pages above, then the page itself.
import { Breadcrumbs, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export function Crumbs({ here, children }: { here: string; children: ReactNode }) {
  return (
    <nav aria-label="Breadcrumbs">
      <Breadcrumbs>
        {children}
        <Text aria-current="page" truncate maw={{ base: 140, sm: 420 }}>
          {here}
        </Text>
      </Breadcrumbs>
    </nav>
  )
}
