// The fields of a control. Its identifier is chosen once and never changes.
import { Button, CloseButton, Fieldset, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { type Control, createControl, editControl, type WrittenControl } from './queries.ts'

interface Link {
  key: number
  label: string
  address: string
}

type Written = Omit<WrittenControl, 'links'> & { links: Link[] }

function writtenFrom(control: Control | null): Written {
  const { identifier = '', name = '', description = '', links = {} } = control ?? {}
  return {
    identifier,
    name,
    description: description ?? '',
    links: Object.entries(links).map(([label, address], key) => ({ key, label, address })),
  }
}

export function ControlForm({ org, control }: { org: string; control: Control | null }) {
  const navigate = useNavigate()
  const [written, setWritten] = useState(() => writtenFrom(control))
  const change = (part: Partial<Written>) => setWritten(before => ({ ...before, ...part }))
  const twice = labelTwiceIn(written.links)
  const saving = useChange(
    ({ links, ...rest }: Written) =>
      (control ? editControl : createControl)(org, {
        ...rest,
        links: Object.fromEntries(links.map(({ label, address }) => [label.trim(), address.trim()])),
      }),
    {
      onDone: (_, { identifier }) =>
        navigate({ to: '/$org/controls/$identifier', params: { org, identifier } }),
      notice: 'Saved',
    },
  )
  const errors = readFieldErrors(saving.error)
  return (
    <Stack
      component="form"
      maw={720}
      onSubmit={event => {
        event.preventDefault()
        if (twice === undefined && !saving.isPending) saving.mutate(written)
      }}
    >
      {control === null && (
        <TextInput
          label="Identifier"
          description="Letters, digits and - . _ ~; policies and decisions name the control by it. It never changes."
          required
          maxLength={256}
          pattern="[a-zA-Z0-9\-._~]+"
          placeholder="SDLC-7"
          value={written.identifier}
          error={errors.identifier}
          onChange={({ currentTarget }) => change({ identifier: currentTarget.value })}
        />
      )}
      <TextInput
        label="Name"
        required
        maxLength={255}
        placeholder="Every change is reviewed"
        value={written.name}
        error={errors.name}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <Textarea
        label="Description"
        autosize
        minRows={3}
        value={written.description}
        error={errors.description}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
      <LinkFields links={written.links} twice={twice} onChange={links => change({ links })} />
      {saving.error && <ErrorAlert error={saving.error} />}
      <Group>
        <Button type="submit" loading={saving.isPending}>
          {control === null ? 'Create' : 'Save'}
        </Button>
      </Group>
    </Stack>
  )
}

/** The server keeps links by their labels: of two with the same one would be lost. */
function labelTwiceIn(links: Link[]): number | undefined {
  const labels = links.map(({ label }) => label.trim())
  return links.find((_, index) => labels[index] !== '' && labels.indexOf(labels[index] ?? '') < index)?.key
}

interface LinkFieldsProps {
  links: Link[]
  /** The key of a link that has the label of another. */
  twice: number | undefined
  onChange: (links: Link[]) => void
}

function LinkFields({ links, twice, onChange }: LinkFieldsProps) {
  const change = (key: number, part: Partial<Link>) =>
    onChange(links.map(link => (link.key === key ? { ...link, ...part } : link)))
  const nextKey = Math.max(-1, ...links.map(({ key }) => key)) + 1
  return (
    <Fieldset legend="Links">
      <Stack gap="sm">
        {links.length === 0 && (
          <Text size="sm" c="dimmed">
            None. A link leads to the text of the requirement, for example.
          </Text>
        )}
        {links.map(({ key, label, address }) => (
          <Group key={key} align="end">
            <TextInput
              label="Label"
              required
              maxLength={100}
              value={label}
              error={key === twice && 'Another link has this label'}
              onChange={({ currentTarget }) => change(key, { label: currentTarget.value })}
            />
            <TextInput
              label="Address"
              type="url"
              required
              pattern="https?://.+"
              title="An address that begins with https:// or http://"
              maxLength={2048}
              flex={1}
              miw={200}
              value={address}
              onChange={({ currentTarget }) => change(key, { address: currentTarget.value })}
            />
            <CloseButton
              mb={4}
              aria-label={`Remove the link ${label}`}
              onClick={() => onChange(links.filter(link => link.key !== key))}
            />
          </Group>
        ))}
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onChange([...links, { key: nextKey, label: '', address: '' }])}
          >
            Add a link
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
