// The settings of an organization: description, access, security, duties, usage, export and deletion.
import { Button, Card, Group, Stack, Switch, Text, Textarea, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { organizationQuery } from '../../parts/queries.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { readFieldErrors } from '../../ui/field-errors.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { DutiesFields } from './duties-fields.tsx'
import { OrganizationEnd } from './organization-end.tsx'
import { OrganizationFacts } from './organization-facts.tsx'
import { type Settings, SettingsFields } from './organization-fields.tsx'
import { SecurityFields } from './security-fields.tsx'
import { settingsTexts as texts } from './texts.ts'
import { UsageCard } from './usage.tsx'

type Organization = Schemas['Organization']

export function OrganizationPage() {
  const { org } = useParams({ from: '/$org/settings/organization' })
  const { isAdmin } = useRole(org)
  const organization = useQuery(organizationQuery(org))
  return (
    <Stack>
      <Crumbs here={texts.organization.crumb}>
        <PageLink to="/$org/settings" params={{ org }}>
          {texts.crumbs.settings}
        </PageLink>
      </Crumbs>
      <Title order={1} className="long-name">
        {org}
      </Title>
      {organization.isPending ? (
        <Loading />
      ) : organization.error ? (
        <ErrorAlert error={organization.error} />
      ) : (
        <>
          <Text size="sm">
            {organization.data.kind === 'shared' ? texts.organization.shared : texts.organization.personal}{' '}
            <RelativeTime at={organization.data.created_at} />
          </Text>
          {isAdmin ? (
            <>
              <OrganizationForm key={org} organization={organization.data} />
              <UsageCard org={org} />
              <OrganizationEnd org={org} isShared={organization.data.kind === 'shared'} />
            </>
          ) : (
            <OrganizationFacts organization={organization.data} />
          )}
        </>
      )}
    </Stack>
  )
}

interface Draft {
  description: string
  controls: boolean
  settings: Settings | undefined
}

/** Omits an empty number, so that the server keeps the current one. */
function toStored({ leaver_grace_days, ...settings }: Settings) {
  return { ...settings, ...(leaver_grace_days !== null && { leaver_grace_days }) }
}

function useSave(org: string) {
  return useChange(
    ({ description, controls, settings }: Draft) =>
      unwrap(
        api.PATCH('/organizations/{org}', {
          params: { path: { org } },
          body: { description, features: { controls }, ...(settings && { settings: toStored(settings) }) },
        }),
      ),
    { notice: texts.organization.saved },
  )
}

function OrganizationForm({ organization }: { organization: Organization }) {
  const [draft, setDraft] = useState<Draft>({
    description: organization.description,
    controls: Boolean((organization.features as Record<string, unknown>).controls),
    settings: organization.settings,
  })
  const save = useSave(organization.name)
  const errors = readFieldErrors(save.error)
  return (
    <Card withBorder>
      <form
        onSubmit={event => {
          event.preventDefault()
          save.mutate(draft)
        }}
      >
        <Stack maw={640}>
          <Textarea
            label={texts.organization.description}
            value={draft.description}
            autosize
            minRows={2}
            error={errors.description}
            onChange={({ currentTarget }) => setDraft({ ...draft, description: currentTarget.value })}
          />
          <Switch
            label={texts.organization.controls}
            description={texts.organization.controlsHelp}
            checked={draft.controls}
            onChange={({ currentTarget }) => setDraft({ ...draft, controls: currentTarget.checked })}
          />
          {draft.settings && (
            <SettingsFields
              settings={draft.settings}
              errors={errors}
              onChange={settings => setDraft({ ...draft, settings })}
            />
          )}
          {draft.settings && (
            <SecurityFields
              settings={draft.settings}
              hasServiceAccounts={organization.kind === 'shared'}
              errors={errors}
              onChange={settings => setDraft({ ...draft, settings })}
            />
          )}
          {draft.settings && organization.kind === 'shared' && (
            <DutiesFields
              org={organization.name}
              settings={draft.settings}
              errors={errors}
              onChange={settings => setDraft({ ...draft, settings })}
            />
          )}
          {save.error && <ErrorAlert error={save.error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending}>
              {texts.organization.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
