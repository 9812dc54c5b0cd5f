// The page that creates a flow with its template. The server checks the template, and its errors name lines.
import { Stack, Textarea, TextInput, Title } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { buildApiPath, buildCurlWithFile, buildWaybill } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { type Commands, FormWithCommand } from '../../parts/form-with-command.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { createFlow, type NewFlow } from './queries.ts'
import { isTemplateField, readTemplateProblems, TemplateField } from './template-field.tsx'
import { flowTexts as texts } from './texts.ts'

const MAX_NAME = 255
const TEMPLATE_FILE = 'template.yml'
const INITIAL: NewFlow = {
  name: '',
  description: '',
  template: `version: 1
trail:
  artifacts:
    - name: app
      attestations:
        - name: unit-tests
          type: junit
`,
}

export function NewFlowPage() {
  const { org } = useParams({ from: '/$org/new-flow' })
  return (
    <Stack>
      <Crumbs here={texts.create.title}>
        <PageLink to="/$org/flows" params={{ org }}>
          {texts.title}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.create.title}</Title>
      <ForRole org={org} minRole="member" what={texts.create.subject}>
        <FlowForm org={org} />
      </ForRole>
    </Stack>
  )
}

function FlowForm({ org }: { org: string }) {
  const navigate = useNavigate()
  const draft = useDraft({
    initial: INITIAL,
    validate: ({ name }) => (name === '' ? { name: texts.create.nameMissing } : {}),
    send: values => createFlow(org, values),
    findField: path => (isTemplateField(path) ? 'template' : undefined),
    notice: (_, { name }) => texts.create.created(name),
    onDone: (_, { name }) => navigate({ to: '/$org/flows/$flow', params: { org, flow: name } }),
  })
  const { form } = draft
  return (
    <FormWithCommand draft={draft} action={texts.create.submit} commands={buildCommands(org, form.values)}>
      <TextInput
        label={texts.create.name}
        description={texts.settings.newNameHint}
        required
        maxLength={MAX_NAME}
        {...form.getInputProps('name')}
      />
      <Textarea
        label={texts.settings.description}
        autosize
        minRows={2}
        {...form.getInputProps('description')}
      />
      <TemplateField
        description={texts.create.templateHint}
        problems={readTemplateProblems(draft.failure)}
        {...form.getInputProps('template')}
      />
    </FormWithCommand>
  )
}

function buildCommands(org: string, { name, description }: NewFlow): Commands {
  const about = description === '' ? [] : ['--description', description]
  const words = ['create', 'flow', name || 'NAME', ...about, '--template-file', TEMPLATE_FILE]
  const values = dropUndefined({ name: name || 'NAME', description: description || undefined })
  const path = buildApiPath('flows', org, 'template_file')
  return {
    waybill: buildWaybill(words, org),
    curl: buildCurlWithFile('PUT', path, values, [{ part: 'template_file', file: TEMPLATE_FILE }]),
    note: texts.create.fileNote(TEMPLATE_FILE),
  }
}
