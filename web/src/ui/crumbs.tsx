// Breadcrumbs: links to the parent pages, then the current page.
import { Breadcrumbs, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { uiTexts as texts } from './texts.ts'

export function Crumbs({ here, children }: { here: string; children: ReactNode }) {
  return (
    <nav aria-label={texts.breadcrumbs}>
      <Breadcrumbs>
        {children}
        <Text aria-current="page" truncate maw={{ base: 140, sm: 420 }}>
          {here}
        </Text>
      </Breadcrumbs>
    </nav>
  )
}
