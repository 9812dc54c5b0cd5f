// Two snapshots side by side: of this environment, or of any two.
import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { DiffView } from './diff-view.tsx'
import { type Place, useChangeSearch } from './place.ts'
import { diffQuery } from './queries.ts'

/** `#5`, `5`, `~2` and `@{…}` are of this environment; anything else names its own. */
export function snappishOf(environment: string, expression: string): string {
  if (/^-?\d+$/.test(expression)) return `${environment}#${expression}`
  return /^[#~@]/.test(expression) ? `${environment}${expression}` : expression
}

export function CompareTab({ place, latest }: { place: Place; latest: number }) {
  const { left = latest > 1 ? '~1' : '~0', right = '~0' } = place.search
  if (latest === 0) return <Empty title="There is nothing to compare yet" />
  return (
    <Stack>
      <CompareForm key={`${left} ${right}`} left={left} right={right} />
      <Comparison
        org={place.org}
        left={snappishOf(place.environment, left)}
        right={snappishOf(place.environment, right)}
      />
    </Stack>
  )
}

function CompareForm({ left, right }: { left: string; right: string }) {
  const change = useChangeSearch()
  const compare = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const written = (field: string) => String(form.get(field) ?? '').trim() || undefined
    change({ left: written('left'), right: written('right') })
  }
  return (
    <form onSubmit={compare}>
      <Stack gap="xs">
        <SimpleGrid cols={{ base: 1, xs: 2 }} maw={640}>
          <TextInput name="left" label="First" defaultValue={left} required />
          <TextInput name="right" label="Second" defaultValue={right} required />
        </SimpleGrid>
        <Text size="xs" c="dimmed">
          A number such as 12, ~1 for the one before the latest, {'@{2.weeks.ago}'},{' '}
          {'@{2026-03-14T12:00:00}'} in UTC; or of another environment: staging, staging#12, staging~1.
        </Text>
        <Group gap="xs">
          <Button type="submit" size="xs">
            Compare
          </Button>
          <Button size="xs" variant="default" onClick={() => change({ left: right, right: left })}>
            Swap
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Comparison({ org, left, right }: { org: string; left: string; right: string }) {
  const diff = useQuery(diffQuery(org, left, right))
  if (diff.isPending) return <Loading />
  if (diff.error) return <ErrorAlert error={diff.error} />
  return <DiffView org={org} diff={diff.data} />
}
