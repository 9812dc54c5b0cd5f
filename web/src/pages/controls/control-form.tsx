// The form that creates or edits a control. Its identifier never changes.
import { Button, CloseButton, Fieldset, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { type Control, type ControlInput, createControl, editControl } from './queries.ts'
import { catalogueTexts as texts } from './texts-catalogue.ts'

interface Link {
  key: number
  label: string
  url: string
}

type Draft = Omit<ControlInput, 'links'> & { links: Link[] }

function createDraft(control: Control | null): Draft {
  const { identifier = '', name = '', description = '', links = {} } = control ?? {}
  return {
    identifier,
    name,
    description: description ?? '',
    links: Object.entries(links).map(([label, url], key) => ({ key, label, url })),
  }
}

export function ControlForm({ org, control }: { org: string; control: Control | null }) {
  const navigate = useNavigate()
  const [draft, setDraft] = useState(() => createDraft(control))
  const change = (part: Partial<Draft>) => setDraft(before => ({ ...before, ...part }))
  const duplicate = findDuplicateLabel(draft.links)
  const saving = useChange(
    ({ links, ...rest }: Draft) =>
      (control ? editControl : createControl)(org, {
        ...rest,
        links: Object.fromEntries(links.map(({ label, url }) => [label.trim(), url.trim()])),
      }),
    {
      onDone: (_, { identifier }) =>
        navigate({ to: '/$org/controls/$identifier', params: { org, identifier } }),
      notice: (_, { identifier }) =>
        control === null ? texts.form.created(identifier) : texts.form.saved(identifier),
    },
  )
  const errors = readFieldErrors(saving.error)
  return (
    <Stack
      component="form"
      maw={720}
      onSubmit={event => {
        event.preventDefault()
        if (duplicate === undefined && !saving.isPending) saving.mutate(draft)
      }}
    >
      {control === null && (
        <TextInput
          label={texts.form.identifier}
          description={texts.form.identifierHint}
          required
          maxLength={256}
          pattern="[a-zA-Z0-9\-._~]+"
          placeholder={texts.form.identifierPlaceholder}
          value={draft.identifier}
          error={errors.identifier}
          onChange={({ currentTarget }) => change({ identifier: currentTarget.value })}
        />
      )}
      <TextInput
        label={texts.form.name}
        required
        maxLength={255}
        placeholder={texts.form.namePlaceholder}
        value={draft.name}
        error={errors.name}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <Textarea
        label={texts.form.description}
        autosize
        minRows={3}
        value={draft.description}
        error={errors.description}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
      <LinkFields links={draft.links} duplicate={duplicate} onChange={links => change({ links })} />
      {saving.error && <ErrorAlert error={saving.error} />}
      <Group>
        <Button type="submit" loading={saving.isPending}>
          {control === null ? texts.form.create : texts.form.save}
        </Button>
      </Group>
    </Stack>
  )
}

/** The server stores links by label, so one of two equal labels would be lost. */
function findDuplicateLabel(links: Link[]): number | undefined {
  const labels = links.map(({ label }) => label.trim())
  return links.find((_, index) => labels[index] !== '' && labels.indexOf(labels[index] ?? '') < index)?.key
}

interface LinkFieldsProps {
  links: Link[]
  /** The key of a link that has the label of another one. */
  duplicate: number | undefined
  onChange: (links: Link[]) => void
}

function LinkFields({ links, duplicate, onChange }: LinkFieldsProps) {
  const change = (key: number, part: Partial<Link>) =>
    onChange(links.map(link => (link.key === key ? { ...link, ...part } : link)))
  const nextKey = Math.max(-1, ...links.map(({ key }) => key)) + 1
  return (
    <Fieldset legend={texts.form.links}>
      <Stack gap="sm">
        {links.length === 0 && (
          <Text size="sm" c="dimmed">
            {texts.form.noLinks}
          </Text>
        )}
        {links.map(({ key, label, url }) => (
          <Group key={key} align="end">
            <TextInput
              label={texts.form.label}
              required
              maxLength={100}
              value={label}
              error={key === duplicate && texts.form.duplicateLabel}
              onChange={({ currentTarget }) => change(key, { label: currentTarget.value })}
            />
            <TextInput
              label={texts.form.url}
              type="url"
              required
              pattern="https?://.+"
              title={texts.form.urlHint}
              maxLength={2048}
              flex={1}
              miw={200}
              value={url}
              onChange={({ currentTarget }) => change(key, { url: currentTarget.value })}
            />
            <CloseButton
              mb={4}
              aria-label={texts.form.removeLink(label)}
              onClick={() => onChange(links.filter(link => link.key !== key))}
            />
          </Group>
        ))}
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onChange([...links, { key: nextKey, label: '', url: '' }])}
          >
            {texts.form.addLink}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
