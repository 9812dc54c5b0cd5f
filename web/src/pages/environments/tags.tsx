// The tags of an environment: short facts for filters.
import { Button, CloseButton, Group, Pill, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useRef } from 'react'
import { answered, api } from '../../api.ts'
import { Failed } from '../../ui/states.tsx'
import type { Environment } from './answers.ts'
import { useChange } from './changes.ts'
import type { Place } from './place.ts'

interface TagChange {
  set_tags?: Record<string, string>
  remove_tags?: string[]
}

export function TagsForm({ place, tags }: { place: Place; tags: Environment['tags'] }) {
  const form = useRef<HTMLFormElement>(null)
  const tag = useChange(
    (body: TagChange) =>
      answered(
        api.PATCH('/tags/{org}/{resource_type}/{resource_id}', {
          params: { path: { org: place.org, resource_type: 'environment', resource_id: place.environment } },
          body,
        }),
      ),
    () => form.current?.reset(),
  )
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const key = String(fields.get('key') ?? '').trim()
    tag.mutate({ set_tags: { [key]: String(fields.get('value') ?? '').trim() } })
  }
  const entries = Object.entries(tags)
  return (
    <Stack>
      {entries.length === 0 && <Text c="dimmed">No tags yet.</Text>}
      <Group gap="xs">
        {entries.map(([key, value]) => (
          <Group key={key} gap={2} wrap="nowrap">
            <Pill>{`${key}: ${value}`}</Pill>
            <CloseButton
              size="sm"
              aria-label={`Remove the tag ${key}`}
              disabled={tag.isPending}
              onClick={() => tag.mutate({ remove_tags: [key] })}
            />
          </Group>
        ))}
      </Group>
      <form ref={form} onSubmit={add}>
        <Group align="end">
          <TextInput name="key" label="Key" placeholder="team" required />
          <TextInput name="value" label="Value" placeholder="payments" required />
          <Button type="submit" variant="default" loading={tag.isPending}>
            Set
          </Button>
        </Group>
      </form>
      {tag.error && <Failed error={tag.error} />}
    </Stack>
  )
}
