// Tags: short facts to filter by. Members can edit them.
import { Badge, Button, CloseButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useRef } from 'react'
import { api, unwrap } from '../api.ts'
import { Details } from '../ui/details.tsx'
import { PageLink } from '../ui/page-link.tsx'
import { ErrorAlert } from '../ui/states.tsx'
import { useChange } from '../ui/use-change.ts'
import { partsTexts as texts } from './texts.ts'
import { useRole } from './use-role.ts'

type Tags = Readonly<Record<string, unknown>>

interface TagListProps {
  tags: Tags
  /** Builds the link to everything that has the tag. */
  search?: (tag: string) => { to: '/$org/controls'; params: { org: string }; search: { tag: string[] } }
}

export function TagList({ tags, search }: TagListProps) {
  return (
    <Group gap={4}>
      {Object.entries(tags).map(([key, value]) =>
        search ? (
          <PageLink key={key} {...search(`${key}:${String(value)}`)}>
            <Tag name={key} value={value} />
          </PageLink>
        ) : (
          <Tag key={key} name={key} value={value} />
        ),
      )}
    </Group>
  )
}

function Tag({ name, value }: { name: string; value: unknown }) {
  return (
    <Badge variant="default" fw={500}>
      {name}: {String(value)}
    </Badge>
  )
}

interface Tagged {
  org: string
  resource_type: 'flow' | 'environment' | 'repo' | 'control'
  resource_id: string
}

interface TagChange {
  set_tags?: Record<string, string>
  remove_tags?: string[]
}

function useTagChange({ org, resource_type, resource_id }: Tagged, onDone: () => void) {
  return useChange(
    (body: TagChange) =>
      unwrap(
        api.PATCH('/tags/{org}/{resource_type}/{resource_id}', {
          params: { path: { org, resource_type, resource_id } },
          body,
        }),
      ),
    { onDone, notice: texts.tags.saved },
  )
}

export function TagEditor({ tags, ...tagged }: Tagged & { tags: Tags }) {
  const { isMember } = useRole(tagged.org)
  const form = useRef<HTMLFormElement>(null)
  const tag = useTagChange(tagged, () => form.current?.reset())
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const read = (field: string) => String(fields.get(field) ?? '').trim()
    tag.mutate({ set_tags: { [read('key')]: read('value') } })
  }
  if (!isMember) return <TagList tags={tags} />
  return (
    <Stack gap="xs">
      {Object.keys(tags).length === 0 && <Text c="dimmed">{texts.tags.empty}</Text>}
      <Group gap="xs">
        {Object.entries(tags).map(([key, value]) => (
          <Group key={key} gap={2} wrap="nowrap">
            <Tag name={key} value={value} />
            <CloseButton
              size="sm"
              aria-label={texts.tags.remove(key)}
              disabled={tag.isPending}
              onClick={() => tag.mutate({ remove_tags: [key] })}
            />
          </Group>
        ))}
      </Group>
      <Details title={texts.tags.set}>
        <form ref={form} onSubmit={add}>
          <Group align="end" gap="xs">
            <TextInput
              size="xs"
              name="key"
              label={texts.tags.key}
              placeholder={texts.tags.keyExample}
              required
            />
            <TextInput
              size="xs"
              name="value"
              label={texts.tags.value}
              placeholder={texts.tags.valueExample}
              required
            />
            <Button size="xs" type="submit" variant="default" loading={tag.isPending}>
              {texts.tags.save}
            </Button>
          </Group>
        </form>
      </Details>
      {tag.error && <ErrorAlert error={tag.error} />}
    </Stack>
  )
}
