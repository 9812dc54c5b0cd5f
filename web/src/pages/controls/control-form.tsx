// The form that creates or edits a control. Its identifier never changes.
import { Button, CloseButton, Fieldset, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { FormErrors, UseFormReturnType } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { buildApiPath, buildCurl, buildWaybill } from '../../parts/curl.ts'
import { type Commands, FormWithCommand } from '../../parts/form-with-command.tsx'
import { uiTexts } from '../../ui/texts.ts'
import { useDraft } from '../../ui/use-draft.ts'
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
  const draft = useDraft({
    initial: createDraft(control),
    required: ['identifier', 'name'],
    validate: validateLinks,
    send: values => (control ? editControl : createControl)(org, toBody(values)),
    findField: findLink,
    notice: (_, { identifier }) =>
      control === null ? texts.form.created(identifier) : texts.form.saved(identifier),
    onDone: (_, { identifier }) =>
      navigate({ to: '/$org/controls/$identifier', params: { org, identifier } }),
  })
  const { form } = draft
  return (
    <FormWithCommand
      draft={draft}
      action={control === null ? texts.form.create : texts.form.save}
      commands={(control ? buildEditCommands : buildCreateCommands)(org, form.values)}
    >
      {control === null && (
        <TextInput
          label={texts.form.identifier}
          description={texts.form.identifierHint}
          required
          maxLength={256}
          placeholder={texts.form.identifierPlaceholder}
          {...form.getInputProps('identifier')}
        />
      )}
      <TextInput
        label={texts.form.name}
        required
        maxLength={255}
        placeholder={texts.form.namePlaceholder}
        {...form.getInputProps('name')}
      />
      <Textarea label={texts.form.description} autosize minRows={3} {...form.getInputProps('description')} />
      <LinkFields form={form} />
    </FormWithCommand>
  )
}

const toBody = ({ links, ...rest }: Draft): ControlInput => ({
  ...rest,
  links: Object.fromEntries(links.map(({ label, url }) => [label.trim(), url.trim()])),
})

function buildCreateCommands(org: string, values: Draft): Commands {
  const body = toBody({
    ...values,
    identifier: values.identifier || 'IDENTIFIER',
    name: values.name || 'NAME',
  })
  const { identifier, name, description, links } = body
  const words = ['create', 'control', identifier, '--name', name]
  if (description !== '') words.push('--description', description)
  for (const [label, url] of Object.entries(links)) words.push('--link', `${label}=${url}`)
  return { waybill: buildWaybill(words, org), curl: buildCurl('POST', buildApiPath('controls', org), body) }
}

function buildEditCommands(org: string, values: Draft): Commands {
  const { identifier, ...body } = toBody(values)
  return { curl: buildCurl('PUT', buildApiPath('controls', org, identifier), body) }
}

function validateLinks({ links }: Draft): FormErrors {
  const { required } = uiTexts.fields
  const labels = links.map(({ label }) => label.trim())
  return Object.fromEntries(
    links.flatMap(({ url }, index) => {
      const label = labels[index] ?? ''
      // The server stores links by label, so one of two equal labels would be lost.
      const isTaken = labels.indexOf(label) < index
      return [
        ...(label === '' || isTaken
          ? [[`links.${index}.label`, label === '' ? required : texts.form.duplicateLabel]]
          : []),
        ...(/^https?:\/\/./.test(url.trim()) ? [] : [[`links.${index}.url`, texts.form.urlHint]]),
      ]
    }),
  )
}

/** The request contains addresses by label, and labels may contain dots. */
function findLink(path: string, { links }: Draft): string | undefined {
  const index = links.findIndex(({ label }) => path === `links.${label.trim()}`)
  return index === -1 ? undefined : `links.${index}.url`
}

function LinkFields({ form }: { form: UseFormReturnType<Draft> }) {
  const { links } = form.values
  const nextKey = Math.max(-1, ...links.map(({ key }) => key)) + 1
  return (
    <Fieldset legend={texts.form.links}>
      <Stack gap="sm">
        {links.length === 0 && (
          <Text size="sm" c="dimmed">
            {texts.form.noLinks}
          </Text>
        )}
        {links.map(({ key, label }, index) => (
          <Group key={key} align="start">
            <TextInput
              label={texts.form.label}
              required
              maxLength={100}
              {...form.getInputProps(`links.${index}.label`)}
            />
            <TextInput
              label={texts.form.url}
              type="url"
              required
              maxLength={2048}
              flex={1}
              miw={200}
              {...form.getInputProps(`links.${index}.url`)}
            />
            <CloseButton
              mt={26}
              aria-label={texts.form.removeLink(label)}
              onClick={() => form.removeListItem('links', index)}
            />
          </Group>
        ))}
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => form.insertListItem('links', { key: nextKey, label: '', url: '' })}
          >
            {texts.form.addLink}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
