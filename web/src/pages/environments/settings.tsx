// The settings of an environment.
import { Button, Group, Stack, Switch, Textarea, Title } from '@mantine/core'
import { api, unwrap } from '../../api.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { PublicBadges } from '../../parts/public-badges.tsx'
import { TagEditor } from '../../parts/tags.tsx'
import { DraftForm } from '../../ui/draft-form.tsx'
import { useDraft } from '../../ui/use-draft.ts'
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

function AboutForm({ place, environment }: { place: Place; environment: Environment }) {
  const { name, type, description, include_scaling, expected_report_interval, included_environments } =
    environment
  const { form, ...draft } = useDraft({
    initial: {
      description,
      include_scaling,
      expected_report_interval,
      included_environments: included_environments ?? [],
    },
    send: ({ expected_report_interval, included_environments, ...values }) =>
      unwrap(
        api.PATCH('/environments/{org}/{env_name}', {
          params: getPathParams(place),
          body: {
            ...values,
            ...(type === 'logical' ? { included_environments } : { expected_report_interval }),
          },
        }),
      ),
    notice: texts.settings.saved(name),
  })
  return (
    <DraftForm
      draft={draft}
      actions={
        <Group>
          <Button type="submit" loading={draft.isPending}>
            {texts.settings.save}
          </Button>
        </Group>
      }
    >
      <Textarea
        label={texts.settings.description}
        autosize
        minRows={2}
        {...form.getInputProps('description')}
      />
      {type === 'logical' ? (
        <IncludedEnvironments org={place.org} {...form.getInputProps('included_environments')} />
      ) : (
        <>
          <ReportInterval
            before={expected_report_interval}
            {...form.getInputProps('expected_report_interval')}
          />
          <Switch
            label={texts.settings.scaling}
            description={texts.settings.scalingHint}
            {...form.getInputProps('include_scaling', { type: 'checkbox' })}
          />
        </>
      )}
    </DraftForm>
  )
}
