// The page of a control: its definition, and tabs for decisions, coverage and versions.
import { Alert, Badge, Button, Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { PolicyLinks } from '../../parts/link-lists.tsx'
import { TagEditor } from '../../parts/tags.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { ControlLinks } from './control-links.tsx'
import { Coverage } from './coverage.tsx'
import { Decisions } from './decisions.tsx'
import { type Control, controlQuery, toggleArchived } from './queries.ts'
import { CONTROL_TABS } from './search.ts'
import { controlTexts as texts } from './texts.ts'
import { Versions } from './versions.tsx'
import { WithControls } from './with-controls.tsx'

export function ControlPage() {
  const { org, identifier } = useParams({ from: '/$org/controls/$identifier' })
  return (
    <Stack>
      <Crumbs here={identifier}>
        <PageLink to="/$org/controls" params={{ org }}>
          {texts.title}
        </PageLink>
      </Crumbs>
      <WithControls org={org} title={identifier}>
        <Content org={org} identifier={identifier} />
      </WithControls>
    </Stack>
  )
}

function Content({ org, identifier }: { org: string; identifier: string }) {
  const control = useQuery(controlQuery(org, identifier))
  if (control.isPending) return <Loading />
  if (control.error)
    return (
      <>
        <Title order={1} className="fingerprint">
          {identifier}
        </Title>
        <ErrorAlert error={control.error} />
      </>
    )
  return (
    <>
      <Definition org={org} control={control.data} />
      <ControlTabs org={org} identifier={identifier} />
    </>
  )
}

function Definition({ org, control }: { org: string; control: Control }) {
  const { isAdmin, isMember } = useRole(org)
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="start">
        <Stack gap={4}>
          <Title order={1}>{control.name}</Title>
          <Group gap="xs">
            <Text className="fingerprint">{control.identifier}</Text>
            <Badge variant="default">{texts.detail.version(control.version)}</Badge>
            {control.archived && <Badge color="gray">{texts.detail.archived}</Badge>}
          </Group>
        </Stack>
        <Group gap="xs" align="start">
          {isMember && (
            <ButtonLink
              to="/$org/controls/$identifier/decide"
              params={{ org, identifier: control.identifier }}
            >
              {texts.decide.button}
            </ButtonLink>
          )}
          {isAdmin && <Changes org={org} control={control} />}
        </Group>
      </Group>
      {control.archived && <Alert color="gray">{texts.detail.archivedNotice}</Alert>}
      {control.description !== null && <Text>{control.description}</Text>}
      <ControlLinks links={control.links} />
      <TagEditor org={org} resource_type="control" resource_id={control.identifier} tags={control.tags} />
      <Group gap="xs">
        <Text size="sm">{texts.detail.requiredBy}</Text>
        <PolicyLinks org={org} names={control.policies_referencing} />
      </Group>
      <Text size="sm" c="dimmed">
        {texts.detail.createdBy(control.created_by)} <RelativeTime at={control.created_at} />
        {texts.detail.lastChanged} <RelativeTime at={control.last_modified_at} />.
      </Text>
    </Stack>
  )
}

function Changes({ org, control }: { org: string; control: Control }) {
  const { identifier, archived } = control
  const toggle = useChange(() => toggleArchived(org, control), {
    notice: archived ? texts.detail.unarchived(identifier) : texts.detail.archivedToast(identifier),
  })
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {!archived && (
          <ButtonLink variant="default" to="/$org/controls/$identifier/edit" params={{ org, identifier }}>
            {texts.detail.edit}
          </ButtonLink>
        )}
        {archived ? (
          <Button variant="default" loading={toggle.isPending} onClick={() => toggle.mutate(undefined)}>
            {texts.detail.unarchive}
          </Button>
        ) : (
          <ConfirmButton
            label={texts.detail.archive}
            about={identifier}
            question={texts.detail.archiveQuestion}
            change={toggle}
            input={undefined}
          />
        )}
      </Group>
      {archived && toggle.error && <ErrorAlert error={toggle.error} />}
    </Stack>
  )
}

function ControlTabs({ org, identifier }: { org: string; identifier: string }) {
  const { tab = 'decisions' } = useSearch({ from: '/$org/controls/$identifier' })
  const navigate = useNavigate({ from: '/$org/controls/$identifier' })
  return (
    <Tabs
      value={tab}
      keepMounted={false}
      onChange={value => {
        const chosen = CONTROL_TABS.find(each => each === value)
        if (chosen) void navigate({ search: { tab: chosen }, resetScroll: false })
      }}
    >
      <Tabs.List>
        {CONTROL_TABS.map(each => (
          <Tabs.Tab key={each} value={each}>
            {texts.detail.tabs[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="decisions" pt="md">
        <Decisions org={org} identifier={identifier} />
      </Tabs.Panel>
      <Tabs.Panel value="coverage" pt="md">
        <Coverage org={org} identifier={identifier} />
      </Tabs.Panel>
      <Tabs.Panel value="versions" pt="md">
        <Versions org={org} identifier={identifier} />
      </Tabs.Panel>
    </Tabs>
  )
}
