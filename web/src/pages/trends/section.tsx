// A section of a trends page: a title, what is counted, and a chart.
import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export function Section({ title, intro, children }: { title: string; intro: string; children: ReactNode }) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={2} size="h3">
        {title}
      </Title>
      <Text size="sm" c="dimmed" maw="80ch">
        {intro}
      </Text>
      {children}
    </Stack>
  )
}
