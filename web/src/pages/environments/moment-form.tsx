// Jumps to what ran at a moment.
import { Button, Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import type { Place } from './place.ts'

export function MomentForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const jump = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const moment = new Date(String(new FormData(event.currentTarget).get('moment')))
    if (Number.isNaN(moment.getTime())) return
    void navigate({
      to: '/$org/environments/$environment/snapshots/$expression',
      params: {
        org: place.org,
        environment: place.environment,
        expression: `@{${moment.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}}`,
      },
      search: place.search,
    })
  }
  return (
    <form onSubmit={jump}>
      <Group gap="xs" align="end">
        <TextInput size="xs" type="datetime-local" name="moment" label="What ran at" required />
        <Button size="xs" variant="default" type="submit">
          Go to
        </Button>
      </Group>
    </form>
  )
}
