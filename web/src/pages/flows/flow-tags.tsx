// The tags of a flow: each can go, and new ones can come.
import { Button, Group, Pill, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api, queries } from '../../api.ts'
import { Failed } from '../../ui/states.tsx'
import type { Schemas } from './queries.ts'

interface Change {
  set_tags?: Record<string, string>
  remove_tags?: string[]
}

export function FlowTags({ org, flow }: { org: string; flow: Schemas['Flow'] }) {
  const change = useMutation({
    mutationFn: (body: Change) =>
      answered(
        api.PATCH('/tags/{org}/{resource_type}/{resource_id}', {
          params: { path: { org, resource_type: 'flow', resource_id: flow.name } },
          body,
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['flow', org, flow.name] })
      await queries.invalidateQueries({ queryKey: ['flows', org] })
    },
  })
  const tags = Object.entries(flow.tags)
  return (
    <>
      {tags.length === 0 && <Text c="dimmed">No tags yet.</Text>}
      <Group gap="xs">
        {tags.map(([key, value]) => (
          <Pill
            key={key}
            size="md"
            withRemoveButton
            onRemove={() => change.mutate({ remove_tags: [key] })}
            removeButtonProps={{ 'aria-label': `Remove the tag ${key}`, 'aria-hidden': false, tabIndex: 0 }}
          >
            {key}: {value}
          </Pill>
        ))}
      </Group>
      <NewTag
        isPending={change.isPending}
        onAdd={(key, value) => change.mutate({ set_tags: { [key]: value } })}
      />
      {change.error && <Failed error={change.error} />}
    </>
  )
}

interface NewTagProps {
  isPending: boolean
  onAdd: (key: string, value: string) => void
}

function NewTag({ isPending, onAdd }: NewTagProps) {
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        onAdd(key, value)
        setKey('')
        setValue('')
      }}
    >
      <Group align="end">
        <TextInput
          label="Key"
          value={key}
          w={160}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <TextInput
          label="Value"
          value={value}
          w={160}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={isPending} disabled={key === '' || value === ''}>
          Set the tag
        </Button>
      </Group>
    </form>
  )
}
