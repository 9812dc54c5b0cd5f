// Tags: short facts for filtering. Members can edit them.
import { Badge, Button, CloseButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { api, unwrap } from '../api.ts'
import { Details } from '../ui/details.tsx'
import { DraftForm } from '../ui/draft-form.tsx'
import { PageLink } from '../ui/page-link.tsx'
import { ErrorAlert } from '../ui/states.tsx'
import { useChange } from '../ui/use-change.ts'
import { useDraft } from '../ui/use-draft.ts'
import { partsTexts as texts } from './texts.ts'
import { useRole } from './use-role.ts'

type Tags = Readonly<Record<string, unknown>>

/** The height of a label, in pixels: a button beside fields stays in line with them when they have errors. */
const BELOW_LABEL = 20

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

/** The same check as the server's. */
const KEY = /^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$/
const NO_TAG = { key: '', value: '' }

const changeTags = ({ org, resource_type, resource_id }: Tagged, body: TagChange) =>
  unwrap(
    api.PATCH('/tags/{org}/{resource_type}/{resource_id}', {
      params: { path: { org, resource_type, resource_id } },
      body,
    }),
  )

export function TagEditor({ tags, ...tagged }: Tagged & { tags: Tags }) {
  const { isMember } = useRole(tagged.org)
  const remove = useChange((key: string) => changeTags(tagged, { remove_tags: [key] }), {
    notice: texts.tags.saved,
  })
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
              disabled={remove.isPending}
              onClick={() => remove.mutate(key)}
            />
          </Group>
        ))}
      </Group>
      {remove.error && <ErrorAlert error={remove.error} />}
      <Details title={texts.tags.set}>
        <TagForm tagged={tagged} />
      </Details>
    </Stack>
  )
}

function TagForm({ tagged }: { tagged: Tagged }) {
  const { form, ...draft } = useDraft({
    initial: NO_TAG,
    required: ['key', 'value'],
    validate: ({ key }) => (key.trim() === '' || KEY.test(key.trim()) ? {} : { key: texts.tags.keyFormat }),
    send: ({ key, value }) => changeTags(tagged, { set_tags: { [key.trim()]: value.trim() } }),
    // The request contains the value by its key, which may contain dots.
    findField: path => (path.startsWith('set_tags') ? 'key' : undefined),
    notice: texts.tags.saved,
    next: () => NO_TAG,
  })
  return (
    <DraftForm draft={draft} gap="xs">
      <Group align="start" gap="xs">
        <TextInput
          size="xs"
          label={texts.tags.key}
          placeholder={texts.tags.keyExample}
          required
          {...form.getInputProps('key')}
        />
        <TextInput
          size="xs"
          label={texts.tags.value}
          placeholder={texts.tags.valueExample}
          required
          {...form.getInputProps('value')}
        />
        <Button size="xs" mt={BELOW_LABEL} type="submit" variant="default" loading={draft.isPending}>
          {texts.tags.save}
        </Button>
      </Group>
    </DraftForm>
  )
}
