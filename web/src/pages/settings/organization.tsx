// The settings of an organization: description, access, security, duties, usage, export and deletion.
import { Button, Card, Group, Stack, Switch, Text, Textarea, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { organizationQuery } from '../../parts/queries.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { DraftForm } from '../../ui/draft-form.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { uiTexts } from '../../ui/texts.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { DutiesFields } from './duties-fields.tsx'
import { OrganizationEnd } from './organization-end.tsx'
import { OrganizationFacts } from './organization-facts.tsx'
import { type OrganizationDraft, type Settings, SettingsFields } from './organization-fields.tsx'
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
              <SettingsForm key={org} organization={organization.data} />
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

/** Without an empty number, which the form rejects earlier. */
function toStored({ leaver_grace_days, ...settings }: Settings) {
  return { ...settings, ...(leaver_grace_days !== null && { leaver_grace_days }) }
}

function useSettingsDraft({ name, description, features, settings }: Organization) {
  const initial: OrganizationDraft = {
    description,
    controls: Boolean((features as Record<string, unknown>).controls),
    settings,
  }
  return useDraft({
    initial,
    validate: values =>
      values.settings?.leaver_grace_days === null
        ? { 'settings.leaver_grace_days': uiTexts.fields.required }
        : {},
    send: values =>
      unwrap(
        api.PATCH('/organizations/{org}', {
          params: { path: { org: name } },
          body: {
            description: values.description,
            features: { controls: values.controls },
            ...(values.settings && { settings: toStored(values.settings) }),
          },
        }),
      ),
    notice: texts.organization.saved,
  })
}

function SettingsForm({ organization }: { organization: Organization }) {
  const { form, ...draft } = useSettingsDraft(organization)
  const { settings } = form.values
  const isShared = organization.kind === 'shared'
  return (
    <Card withBorder>
      <DraftForm
        draft={draft}
        maw={640}
        actions={
          <Group justify="flex-end">
            <Button type="submit" loading={draft.isPending}>
              {texts.organization.save}
            </Button>
          </Group>
        }
      >
        <Textarea
          label={texts.organization.description}
          autosize
          minRows={2}
          {...form.getInputProps('description')}
        />
        <Switch
          label={texts.organization.controls}
          description={texts.organization.controlsHelp}
          {...form.getInputProps('controls', { type: 'checkbox' })}
        />
        {settings && (
          <>
            <SettingsFields form={form} settings={settings} />
            <SecurityFields form={form} settings={settings} hasServiceAccounts={isShared} />
            {isShared && <DutiesFields org={organization.name} form={form} settings={settings} />}
          </>
        )}
      </DraftForm>
    </Card>
  )
}
