// The tags of a control: seen by all, changed by admins.
import { Badge, Button, CloseButton, Group, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Failed } from '../../ui/states.tsx'
import { type Control, tagControl } from './queries.ts'

interface Props {
  org: string
  control: Control
  isAdmin: boolean
}

export function ControlTags({ org, control, isAdmin }: Props) {
  const removing = useMutation({
    mutationFn: (key: string) => tagControl(org, control.identifier, { set_tags: {}, remove_tags: [key] }),
  })
  return (
    <Group gap="xs">
      {Object.entries(control.tags).map(([key, value]) => (
        <Badge
          key={key}
          variant="default"
          tt="none"
          size="lg"
          rightSection={
            isAdmin && (
              <CloseButton
                size="xs"
                aria-label={`Remove the tag ${key}`}
                disabled={removing.isPending}
                onClick={() => removing.mutate(key)}
              />
            )
          }
        >
          {key}: {String(value)}
        </Badge>
      ))}
      {isAdmin && <AddTag org={org} identifier={control.identifier} />}
      {removing.error && <Failed error={removing.error} />}
    </Group>
  )
}

function AddTag({ org, identifier }: { org: string; identifier: string }) {
  const [written, setWritten] = useState<string | null>(null)
  const adding = useMutation({
    mutationFn: (text: string) => {
      const [key = '', ...value] = text.split(':')
      return tagControl(org, identifier, {
        set_tags: { [key.trim()]: value.join(':').trim() },
        remove_tags: [],
      })
    },
    onSuccess: () => setWritten(null),
  })
  if (written === null)
    return (
      <Button size="compact-sm" variant="subtle" onClick={() => setWritten('')}>
        Add a tag
      </Button>
    )
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        adding.mutate(written)
      }}
    >
      <Group gap="xs">
        <TextInput
          aria-label="Tag as key: value"
          placeholder="key: value"
          size="xs"
          data-autofocus
          value={written}
          error={adding.error?.message}
          onChange={({ currentTarget }) => setWritten(currentTarget.value)}
        />
        <Button size="xs" type="submit" loading={adding.isPending} disabled={!/[^:]:.*\S/.test(written)}>
          Add
        </Button>
        <Button size="xs" variant="default" onClick={() => setWritten(null)}>
          Cancel
        </Button>
      </Group>
    </form>
  )
}
