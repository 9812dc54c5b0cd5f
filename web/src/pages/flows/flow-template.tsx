// What every run of the flow must prove: in words where a trail has it read already, and as the YAML that was sent.
import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiPath, curlWithFile } from '../../parts/curl.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { Command, Copy } from '../../ui/command.tsx'
import { trailQuery, trailsQuery } from './queries.ts'
import { TemplateSlots } from './template-slots.tsx'
import { TemplateText } from './template-text.tsx'

export function FlowTemplate({ org, flow }: { org: string; flow: Schemas['Flow'] }) {
  const newest = useQuery(trailsQuery(org, flow.name, 1)).data?.data[0]
  const trail = useQuery({
    ...trailQuery(org, flow.name, newest?.name ?? ''),
    enabled: newest !== undefined,
  })
  const read = trail.data?.template.content === flow.template ? trail.data.template.trail : null
  const command = curlWithFile(
    apiPath('flows', org, 'template_file'),
    { name: flow.name },
    'template_file',
    'template.yml',
  )
  return (
    <Stack>
      {read && <TemplateSlots body={read} />}
      <Title order={2} size="h4">
        YAML
      </Title>
      <TemplateText text={flow.template} />
      <div>
        <Copy value={flow.template} what="the template" />
      </div>
      <Title order={2} size="h4">
        Change it
      </Title>
      <Text size="sm">New trails take the new template. Those that have begun keep theirs.</Text>
      <Command command={command} />
    </Stack>
  )
}
