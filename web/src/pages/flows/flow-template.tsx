// The template of a flow: a summary if a trail uses it already, the YAML, and a form to edit it.
import { Alert, List, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { buildApiPath, buildCurlWithFile } from '../../parts/curl.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { useRole } from '../../parts/use-role.ts'
import { Command, Copy } from '../../ui/command.tsx'
import { Details } from '../../ui/details.tsx'
import text_styles from '../../ui/text.module.css'
import { trailQuery, trailsQuery } from './queries.ts'
import { TemplateForm } from './template-form.tsx'
import { TemplateSlots } from './template-slots.tsx'
import { TemplateText } from './template-text.tsx'
import { flowTexts as texts } from './texts.ts'

interface FlowProps {
  org: string
  flow: Schemas['Flow']
}

export function FlowTemplate({ org, flow }: FlowProps) {
  const { isMember } = useRole(org)
  return (
    <Stack>
      <TemplateSummary org={org} flow={flow} />
      {flow.warnings.length > 0 && <Warnings warnings={flow.warnings} />}
      <Title order={2} size="h4">
        {texts.template.yaml}
      </Title>
      <TemplateText text={flow.template} />
      <div>
        <Copy value={flow.template} what={texts.template.copy} />
      </div>
      {isMember && !flow.archived && <EditTemplate org={org} flow={flow} />}
    </Stack>
  )
}

function Warnings({ warnings }: { warnings: Schemas['Warning'][] }) {
  return (
    <Alert color="yellow" title={texts.template.warnings} classNames={{ title: text_styles.plain ?? '' }}>
      <List size="sm">
        {warnings.map(({ field, message }) => (
          <List.Item key={field}>{message}</List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** The API returns a parsed template only with a trail that uses it. */
function TemplateSummary({ org, flow }: FlowProps) {
  const trails = useQuery(trailsQuery(org, { flow: flow.name, archived: flow.archived }))
  const newest = trails.data?.data[0]
  const trail = useQuery({
    ...trailQuery(org, flow.name, newest?.name ?? ''),
    enabled: newest !== undefined,
  })
  if (trails.isLoading || trail.isLoading) return null
  if (trail.data?.template.content === flow.template)
    return <TemplateSlots body={trail.data.template.trail} />
  return <Text c="dimmed">{texts.template.unused}</Text>
}

function EditTemplate({ org, flow }: FlowProps) {
  const path = buildApiPath('flows', org, 'template_file')
  const files = [{ part: 'template_file', file: 'template.yml' }]
  const command = buildCurlWithFile('PUT', path, { name: flow.name }, files)
  return (
    <>
      <Title order={2} size="h4">
        {texts.template.edit}
      </Title>
      <TemplateForm org={org} flow={flow} />
      <Details title={texts.template.command}>
        <Command command={command} />
      </Details>
    </>
  )
}
