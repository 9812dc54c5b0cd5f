// What can be changed about a flow: its description, tags and name; and archiving it.
import { Button, Group, Modal, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { answered, api, queries } from '../../api.ts'
import { Failed } from '../../ui/states.tsx'
import { FlowTags } from './flow-tags.tsx'
import type { Schemas } from './queries.ts'

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
        <FlowTags org={org} flow={flow} />
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

const readAnew = async ({ org, flow }: FlowProps) => {
  await queries.invalidateQueries({ queryKey: ['flow', org, flow.name] })
  await queries.invalidateQueries({ queryKey: ['flows', org] })
}

function Description({ org, flow }: FlowProps) {
  const [description, setDescription] = useState(flow.description)
  const save = useMutation({
    mutationFn: () =>
      answered(
        api.PUT('/flows/{org}', { params: { path: { org } }, body: { name: flow.name, description } }),
      ),
    onSuccess: () => readAnew({ org, flow }),
  })
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
          onClick={() => save.mutate()}
          loading={save.isPending}
          disabled={description === flow.description}
        >
          Save the description
        </Button>
        {save.isSuccess && description === flow.description && <Text role="status">Saved</Text>}
      </Group>
      {save.error && <Failed error={save.error} />}
    </>
  )
}

function Rename({ org, flow }: FlowProps) {
  const [new_name, setNewName] = useState(flow.name)
  const navigate = useNavigate()
  const rename = useMutation({
    mutationFn: () =>
      answered(
        api.PUT('/flows/{org}/{flow_name}/rename', {
          params: { path: { org, flow_name: flow.name } },
          body: { new_name },
        }),
      ),
    onSuccess: async () => {
      await navigate({
        to: '/$org/flows/$flow',
        params: { org, flow: new_name },
        search: { tab: 'settings' },
      })
      await queries.invalidateQueries({ queryKey: ['flows', org] })
    },
  })
  return (
    <>
      <Text size="sm">Pipelines that report under the old name have to be changed as well.</Text>
      <TextInput
        aria-label="New name"
        value={new_name}
        onChange={({ currentTarget }) => setNewName(currentTarget.value)}
      />
      <Group>
        <Button
          onClick={() => rename.mutate()}
          loading={rename.isPending}
          disabled={new_name === '' || new_name === flow.name}
        >
          Rename
        </Button>
      </Group>
      {rename.error && <Failed error={rename.error} />}
    </>
  )
}

function Archive({ org, flow }: FlowProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const navigate = useNavigate()
  const archive = useMutation({
    mutationFn: () =>
      answered(
        api.PUT('/flows/{org}/{flow_name}/archive', { params: { path: { org, flow_name: flow.name } } }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['flows', org] })
      await navigate({ to: '/$org/flows', params: { org } })
    },
  })
  return (
    <>
      <Text size="sm">An archived flow is left out of the list. Creating it again brings it back.</Text>
      <Group>
        <Button color="red" variant="outline" onClick={open}>
          Archive the flow
        </Button>
      </Group>
      <Modal opened={isAsking} onClose={close} title={`Archive ${flow.name}?`}>
        <Stack>
          <Text>Its trails, artifacts and attestations are kept.</Text>
          <Group justify="end">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button color="red" onClick={() => archive.mutate()} loading={archive.isPending}>
              Archive
            </Button>
          </Group>
          {archive.error && <Failed error={archive.error} />}
        </Stack>
      </Modal>
    </>
  )
}
