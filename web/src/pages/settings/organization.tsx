// The organization itself: what it is, who may read it and join it, and what is switched on.
import {
  Alert,
  Button,
  Card,
  Group,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  Title,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { answered, api } from '../../api.ts'
import { Moment } from '../../parts/moment.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { errorAt, type FieldErrors, fieldErrorsOf } from '../../ui/field-errors.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { OrganizationEnd } from './organization-end.tsx'
import { organizationQuery } from './queries.ts'

type Organization = Schemas['Organization']
type Settings = NonNullable<Organization['settings']>

const DEFAULT_ROLES: { value: Settings['default_role']; label: string }[] = [
  { value: 'reader', label: 'reader: reads everything' },
  { value: 'snapshotter', label: 'snapshotter: also reports what runs' },
  { value: 'member', label: 'member: also changes flows and policies' },
]

export function OrganizationPage() {
  const { org } = useParams({ from: '/$org/settings/organization' })
  const organization = useQuery(organizationQuery(org))
  return (
    <Stack>
      <Crumbs here="Organization">
        <PageLink to="/$org/settings" params={{ org }}>
          Settings
        </PageLink>
      </Crumbs>
      <Title order={1} className="long-name">
        {org}
      </Title>
      {organization.isPending ? (
        <Loading />
      ) : organization.error ? (
        <Failed error={organization.error} />
      ) : (
        <>
          <Text size="sm">
            {organization.data.kind === 'shared' ? 'A shared organization' : 'A personal organization'}, made{' '}
            <Moment at={organization.data.created_at} />
          </Text>
          <OrganizationForm key={org} organization={organization.data} />
          <OrganizationEnd org={org} isShared={organization.data.kind === 'shared'} />
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

function useSave(org: string) {
  return useChange(
    ({ description, controls, settings }: Draft) =>
      answered(
        api.PATCH('/organizations/{org}', {
          params: { path: { org } },
          body: { description, features: { controls }, ...(settings && { settings }) },
        }),
      ),
    { said: 'Saved' },
  )
}

function OrganizationForm({ organization }: { organization: Organization }) {
  const [draft, setDraft] = useState<Draft>({
    description: organization.description,
    controls: Boolean((organization.features as Record<string, unknown>).controls),
    settings: organization.settings,
  })
  const save = useSave(organization.name)
  const errors = fieldErrorsOf(save.error)
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
            label="Description"
            value={draft.description}
            autosize
            minRows={2}
            error={errors.description}
            onChange={({ currentTarget }) => setDraft({ ...draft, description: currentTarget.value })}
          />
          <Switch
            label="Controls"
            description="Whether controls can be used"
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
          {save.error && <Failed error={save.error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

interface SettingsFieldsProps {
  settings: Settings
  errors: FieldErrors
  onChange: (settings: Settings) => void
}

function SettingsFields({ settings, errors, onChange }: SettingsFieldsProps) {
  return (
    <>
      <Switch
        label="Open to everybody"
        description="Everybody may read what readers may read, without signing in"
        checked={settings.public_read}
        onChange={({ currentTarget }) => onChange({ ...settings, public_read: currentTarget.checked })}
      />
      {settings.public_read && (
        <Alert color="yellow">
          <Text fw={700}>Everything that readers see is public</Text>
          Artifacts, evidence, environments and policies can be read by anybody who can reach this service.
        </Alert>
      )}
      <TagsInput
        label="Mail domains"
        description="Only addresses there can be invited; none means any. Press Enter after each."
        placeholder="example.com"
        value={settings.mail_domains}
        error={errorAt(errors, 'settings.mail_domains')}
        onChange={mail_domains => onChange({ ...settings, mail_domains })}
      />
      <Select
        label="Role of those who join by signing in"
        data={DEFAULT_ROLES}
        value={settings.default_role}
        allowDeselect={false}
        error={errors['settings.default_role']}
        onChange={role => role && onChange({ ...settings, default_role: role as Settings['default_role'] })}
      />
    </>
  )
}
