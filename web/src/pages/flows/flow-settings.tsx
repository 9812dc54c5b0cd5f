// The settings of a flow: description, tags, name and archiving.
import { Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, unwrap } from '../../api.ts'
import { PublicBadges } from '../../parts/public-badges.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { TagEditor } from '../../parts/tags.tsx'
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx'
import { DraftForm } from '../../ui/draft-form.tsx'
import { useChange } from '../../ui/use-change.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { flowTexts as texts } from './texts.ts'

interface FlowProps {
  org: string
  flow: Schemas['Flow']
}

export function FlowSettings({ org, flow }: FlowProps) {
  return (
    <Stack maw={640} gap="xl">
      <Section title={texts.settings.description}>
        <Description org={org} flow={flow} />
      </Section>
      <Section title={texts.settings.tags}>
        <TagEditor org={org} resource_type="flow" resource_id={flow.name} tags={flow.tags} />
      </Section>
      <PublicBadges org={org} subject={{ flow_name: flow.name }} />
      <Section title={texts.settings.name}>
        <Rename org={org} flow={flow} />
      </Section>
      <Section title={texts.settings.archive}>
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
  const { form, ...draft } = useDraft({
    initial: { description: flow.description },
    send: ({ description }) =>
      unwrap(api.PUT('/flows/{org}', { params: { path: { org } }, body: { name: flow.name, description } })),
    notice: texts.settings.savedDescription(flow.name),
  })
  return (
    <DraftForm
      draft={draft}
      gap="xs"
      actions={
        <Group>
          <Button
            type="submit"
            loading={draft.isPending}
            disabled={form.values.description === flow.description}
          >
            {texts.settings.saveDescription}
          </Button>
        </Group>
      }
    >
      <Textarea
        aria-label={texts.settings.description}
        autosize
        minRows={2}
        {...form.getInputProps('description')}
      />
    </DraftForm>
  )
}

function Rename({ org, flow }: FlowProps) {
  const navigate = useNavigate()
  const { form, ...draft } = useDraft({
    initial: { new_name: flow.name },
    required: ['new_name'],
    send: body =>
      unwrap(
        api.PUT('/flows/{org}/{flow_name}/rename', {
          params: { path: { org, flow_name: flow.name } },
          body,
        }),
      ),
    notice: (_, { new_name }) => texts.settings.renamed(flow.name, new_name),
    onDone: (_, { new_name }) =>
      navigate({ to: '/$org/flows/$flow', params: { org, flow: new_name }, search: { tab: 'settings' } }),
  })
  return (
    <DraftForm
      draft={draft}
      gap="xs"
      actions={
        <Group>
          <Button type="submit" loading={draft.isPending} disabled={form.values.new_name === flow.name}>
            {texts.settings.rename}
          </Button>
        </Group>
      }
    >
      <Text size="sm">{texts.settings.oldName}</Text>
      <TextInput
        aria-label={texts.settings.newName}
        description={texts.settings.newNameHint}
        {...form.getInputProps('new_name')}
      />
    </DraftForm>
  )
}

function Archive({ org, flow }: FlowProps) {
  const navigate = useNavigate()
  const archive = useChange(
    () =>
      unwrap(
        api.PUT('/flows/{org}/{flow_name}/archive', { params: { path: { org, flow_name: flow.name } } }),
      ),
    {
      onDone: () => navigate({ to: '/$org/flows', params: { org } }),
      notice: texts.settings.archived(flow.name),
    },
  )
  return (
    <>
      <Text size="sm">{texts.settings.archiveEffect}</Text>
      <Group>
        <ConfirmByTyping
          label={texts.settings.archive}
          about={flow.name}
          name={flow.name}
          question={texts.settings.archiveQuestion}
          change={archive}
          input={undefined}
        />
      </Group>
    </>
  )
}
