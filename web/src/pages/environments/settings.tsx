// The settings of an environment.
import { Button, Group, Stack, Switch, Textarea, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { PublicBadges } from '../../parts/public-badges.tsx'
import { TagEditor } from '../../parts/tags.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import type { Environment } from './answers.ts'
import { IncludedEnvironments, ReportInterval } from './fields.tsx'
import { getPathParams, type Place } from './place.ts'
import { ArchiveForm, RenameForm } from './rename-archive.tsx'
import { environmentTexts as texts } from './texts.ts'

export function SettingsTab({ place, environment }: { place: Place; environment: Environment }) {
  return (
    <ForRole org={place.org} minRole="member" what={texts.settings.subject}>
      <Stack gap="xl" maw={640}>
        <section>
          <Title order={2} size="h3" mb="sm">
            {texts.settings.about}
          </Title>
          <AboutForm place={place} environment={environment} />
        </section>
        <section>
          <Title order={2} size="h3" mb="sm">
            {texts.settings.tags}
          </Title>
          <TagEditor
            org={place.org}
            resource_type="environment"
            resource_id={environment.name}
            tags={environment.tags}
          />
        </section>
        <PublicBadges org={place.org} subject={{ environment_name: environment.name }} />
        <section>
          <Title order={2} size="h3" mb="sm">
            {texts.rename.title}
          </Title>
          <RenameForm place={place} />
        </section>
        <section>
          <Title order={2} size="h3" mb="sm">
            {texts.archive.title}
          </Title>
          <ArchiveForm place={place} />
        </section>
      </Stack>
    </ForRole>
  )
}

interface About {
  description: string
  include_scaling: boolean
  expected_report_interval?: number | null
  included_environments?: string[]
}

function AboutForm({ place, environment }: { place: Place; environment: Environment }) {
  const [description, setDescription] = useState(environment.description)
  const [include_scaling, setIncludeScaling] = useState(environment.include_scaling)
  const [interval, changeInterval] = useState(environment.expected_report_interval)
  const [included, setIncluded] = useState(environment.included_environments ?? [])
  const save = useChange(
    (body: About) =>
      unwrap(api.PATCH('/environments/{org}/{env_name}', { params: getPathParams(place), body })),
    { notice: texts.settings.saved(environment.name) },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const own =
      environment.type === 'logical'
        ? { included_environments: included }
        : { expected_report_interval: interval }
    save.mutate({ description, include_scaling, ...own })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Textarea
          label={texts.settings.description}
          autosize
          minRows={2}
          value={description}
          onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        />
        {environment.type === 'logical' ? (
          <IncludedEnvironments org={place.org} included={included} onChange={setIncluded} />
        ) : (
          <>
            <ReportInterval
              before={environment.expected_report_interval}
              interval={interval}
              onChange={changeInterval}
            />
            <Switch
              label={texts.settings.scaling}
              description={texts.settings.scalingHint}
              checked={include_scaling}
              onChange={({ currentTarget }) => setIncludeScaling(currentTarget.checked)}
            />
          </>
        )}
        {save.error && <ErrorAlert error={save.error} />}
        <Group>
          <Button type="submit" loading={save.isPending}>
            {texts.settings.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
