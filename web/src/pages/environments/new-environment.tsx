// The page that creates an environment.
import { NativeSelect, Stack, Switch, Textarea, TextInput, Title } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { ApiProblem, api, unwrap } from '../../api.ts'
import { buildApiPath, buildCurl, buildWaybill } from '../../parts/curl.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { type Commands, FormWithCommand } from '../../parts/form-with-command.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { IncludedEnvironments, ReportInterval } from './fields.tsx'
import { TYPES } from './search.ts'
import { environmentTexts as texts } from './texts.ts'

const MAX_NAME = 255
const FIVE_MINUTES = 300

interface NewEnvironment {
  name: string
  type: (typeof TYPES)[number]
  description: string
  expected_report_interval: number | null
  include_scaling: boolean
  included_environments: string[]
}

const INITIAL: NewEnvironment = {
  name: '',
  type: 'K8S',
  description: '',
  expected_report_interval: FIVE_MINUTES,
  include_scaling: false,
  included_environments: [],
}

export function NewEnvironmentPage() {
  const { org } = useParams({ from: '/$org/new-environment' })
  return (
    <Stack>
      <Crumbs here={texts.create.title}>
        <PageLink to="/$org/environments" params={{ org }}>
          {texts.title}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.create.title}</Title>
      <ForRole org={org} minRole="snapshotter" what={texts.settings.subject}>
        <EnvironmentForm org={org} />
      </ForRole>
    </Stack>
  )
}

function EnvironmentForm({ org }: { org: string }) {
  const navigate = useNavigate()
  const draft = useDraft({
    initial: INITIAL,
    validate: ({ name }) => (name === '' ? { name: texts.create.nameMissing } : {}),
    send: values => createEnvironment(org, values),
    notice: (_, { name }) => texts.create.created(name),
    onDone: (_, { name }) =>
      navigate({ to: '/$org/environments/$environment', params: { org, environment: name } }),
  })
  const { form } = draft
  return (
    <FormWithCommand draft={draft} action={texts.create.submit} commands={buildCommands(org, form.values)}>
      <TextInput
        label={texts.create.name}
        description={texts.create.nameHint}
        required
        maxLength={MAX_NAME}
        {...form.getInputProps('name')}
      />
      <NativeSelect
        label={texts.create.type}
        description={texts.create.typeHint}
        data={TYPES.map(value => ({ value, label: texts.create.types[value] }))}
        {...form.getInputProps('type')}
      />
      <Textarea
        label={texts.settings.description}
        autosize
        minRows={2}
        {...form.getInputProps('description')}
      />
      {form.values.type === 'logical' ? (
        <IncludedEnvironments org={org} {...form.getInputProps('included_environments')} />
      ) : (
        <>
          <ReportInterval before={null} {...form.getInputProps('expected_report_interval')} />
          <Switch
            label={texts.settings.scaling}
            description={texts.settings.scalingHint}
            {...form.getInputProps('include_scaling', { type: 'checkbox' })}
          />
        </>
      )}
    </FormWithCommand>
  )
}

function toBody(values: NewEnvironment) {
  const { name, type, description, expected_report_interval, include_scaling, included_environments } = values
  return {
    name,
    type,
    ...(description !== '' && { description }),
    ...(type === 'logical'
      ? { included_environments }
      : { expected_report_interval, ...(include_scaling && { include_scaling }) }),
  }
}

/** The server would change an existing environment, so check first. */
async function createEnvironment(org: string, values: NewEnvironment): Promise<void> {
  const { response } = await api.GET('/environments/{org}/{env_name}', {
    params: { path: { org, env_name: values.name } },
  })
  const exists = texts.create.exists(values.name)
  if (response.ok) throw new ApiProblem(409, exists, { name: exists })
  await unwrap(api.PUT('/environments/{org}', { params: { path: { org } }, body: toBody(values) }))
}

function buildCommands(org: string, values: NewEnvironment): Commands {
  const { type, description, expected_report_interval, include_scaling, included_environments } = values
  const body = { ...toBody(values), name: values.name || 'NAME' }
  const own =
    type === 'logical'
      ? ['--included-environments', included_environments.join(',') || 'NAMES']
      : [
          ...(expected_report_interval === null
            ? []
            : ['--expected-report-interval', String(expected_report_interval)]),
          ...(include_scaling ? ['--include-scaling'] : []),
        ]
  const about = description === '' ? [] : ['--description', description]
  const words = ['create', 'environment', body.name, '--type', COMMAND_TYPES[type] ?? type, ...about, ...own]
  return {
    waybill: buildWaybill(words, org),
    curl: buildCurl('PUT', buildApiPath('environments', org), body),
  }
}

/** The command line has another name for one of the types. */
const COMMAND_TYPES: Partial<Record<NewEnvironment['type'], string>> = { 'cloudx-apps': 'azure-apps' }
