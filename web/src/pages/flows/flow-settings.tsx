// What can be changed about a flow: its description, tags and name; and archiving it.
import { Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { TagEditor } from '../../parts/tags.tsx'
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx'
import { findFieldError, readFieldErrors } from '../../ui/field-errors.ts'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'

interface FlowProps {
  org: string
  flow: Schemas['Flow']
}

export function FlowSettings({ org, flow }: FlowProps) {
  return (
    <Stack maw={640} gap="xl">
      <Section title="Description">
        <Description org={org} flow={flow} />
      </Section>
      <Section title="Tags">
        <TagEditor org={org} resource_type="flow" resource_id={flow.name} tags={flow.tags} />
      </Section>
      <Section title="Name">
        <Rename org={org} flow={flow} />
      </Section>
      <Section title="Archive">
        <Archive org={org} flow={flow} />
      </Section>
    </Stack>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  )
}

function Description({ org, flow }: FlowProps) {
  const [description, setDescription] = useState(flow.description)
  const save = useChange(
    () =>
      unwrap(api.PUT('/flows/{org}', { params: { path: { org } }, body: { name: flow.name, description } })),
    { notice: 'Saved' },
  )
  return (
    <>
      <Textarea
        aria-label="Description"
        value={description}
        autosize
        minRows={2}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
      />
      <Group>
        <Button
          onClick={() => save.mutate(undefined)}
          loading={save.isPending}
          disabled={description === flow.description}
        >
          Save the description
        </Button>
      </Group>
      {save.error && <ErrorAlert error={save.error} />}
    </>
  )
}

function Rename({ org, flow }: FlowProps) {
  const [new_name, setNewName] = useState(flow.name)
  const navigate = useNavigate()
  const rename = useChange(
    () =>
      unwrap(
        api.PUT('/flows/{org}/{flow_name}/rename', {
          params: { path: { org, flow_name: flow.name } },
          body: { new_name },
        }),
      ),
    {
      onDone: () =>
        navigate({
          to: '/$org/flows/$flow',
          params: { org, flow: new_name },
          search: { tab: 'settings' },
        }),
      notice: `It is called ${new_name} now`,
    },
  )
  const refused = findFieldError(readFieldErrors(rename.error), 'new_name')
  return (
    <>
      <Text size="sm">The old name keeps leading here until another flow takes it.</Text>
      <TextInput
        aria-label="New name"
        description="Letters, digits and . _ - ~, with a letter or a digit first"
        value={new_name}
        error={refused}
        onChange={({ currentTarget }) => setNewName(currentTarget.value)}
      />
      <Group>
        <Button
          onClick={() => rename.mutate(undefined)}
          loading={rename.isPending}
          disabled={new_name === '' || new_name === flow.name}
        >
          Rename
        </Button>
      </Group>
      {rename.error && refused === undefined && <ErrorAlert error={rename.error} />}
    </>
  )
}

function Archive({ org, flow }: FlowProps) {
  const navigate = useNavigate()
  const archive = useChange(
    () =>
      unwrap(
        api.PUT('/flows/{org}/{flow_name}/archive', { params: { path: { org, flow_name: flow.name } } }),
      ),
    { onDone: () => navigate({ to: '/$org/flows', params: { org } }), notice: `${flow.name} is archived` },
  )
  return (
    <>
      <Text size="sm">
        An archived flow is left out of lists, and nothing can be reported to it. Unarchiving brings it back
        as it was.
      </Text>
      <Group>
        <ConfirmByTyping
          label="Archive"
          about={flow.name}
          name={flow.name}
          question="Its trails, artifacts and attestations are kept."
          change={archive}
          input={undefined}
        />
      </Group>
    </>
  )
}
