// Jumps to the snapshot at a given time.
import { Button, Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import type { Place } from './place.ts'
import { historyTexts as texts } from './texts-history.ts'

export function TimeForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const jump = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const time = new Date(String(new FormData(event.currentTarget).get('time')))
    if (Number.isNaN(time.getTime())) return
    void navigate({
      to: '/$org/environments/$environment/snapshots/$expression',
      params: {
        org: place.org,
        environment: place.environment,
        expression: `@{${time.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}}`,
      },
      search: place.search,
    })
  }
  return (
    <form onSubmit={jump}>
      <Group gap="xs" align="end">
        <TextInput size="xs" type="datetime-local" name="time" label={texts.snapshot.time} required />
        <Button size="xs" variant="default" type="submit">
          {texts.snapshot.go}
        </Button>
      </Group>
    </form>
  )
}
