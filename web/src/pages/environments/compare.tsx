// Compares two snapshots, of this environment or of any two.
import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { DiffView } from './diff-view.tsx'
import { type Place, useChangeSearch } from './place.ts'
import { diffQuery } from './queries.ts'
import { historyTexts as texts } from './texts-history.ts'

/** `#5`, `5`, `~2` and `@{…}` refer to this environment; anything else names its own. */
function toSnappish(environment: string, expression: string): string {
  if (/^-?\d+$/.test(expression)) return `${environment}#${expression}`
  return /^[#~@]/.test(expression) ? `${environment}${expression}` : expression
}

export function CompareTab({ place, latest }: { place: Place; latest: number }) {
  const { left = latest > 1 ? '~1' : '~0', right = '~0' } = place.search
  if (latest === 0) return <Empty title={texts.compare.none}>{texts.compare.noneHint}</Empty>
  return (
    <Stack>
      <CompareForm key={`${left} ${right}`} left={left} right={right} />
      <Comparison
        org={place.org}
        left={toSnappish(place.environment, left)}
        right={toSnappish(place.environment, right)}
      />
    </Stack>
  )
}

function CompareForm({ left, right }: { left: string; right: string }) {
  const change = useChangeSearch()
  const compare = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const read = (field: string) => String(form.get(field) ?? '').trim() || undefined
    change({ left: read('left'), right: read('right') })
  }
  return (
    <form onSubmit={compare}>
      <Stack gap="xs">
        <SimpleGrid cols={{ base: 1, xs: 2 }} maw={640}>
          <TextInput name="left" label={texts.compare.first} defaultValue={left} required />
          <TextInput name="right" label={texts.compare.second} defaultValue={right} required />
        </SimpleGrid>
        <Text size="xs" c="dimmed">
          {texts.compare.hint}
        </Text>
        <Group gap="xs">
          <Button type="submit" size="xs">
            {texts.compare.compare}
          </Button>
          <Button size="xs" variant="default" onClick={() => change({ left: right, right: left })}>
            {texts.compare.swap}
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
