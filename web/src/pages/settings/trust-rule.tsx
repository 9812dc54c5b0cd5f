// The pages where a trust rule is made, changed and deleted.
import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { trustRuleQuery } from './queries.ts'
import { contentOf, draftOf, NEW_RULE, type RuleDraft, type TrustRule } from './trust-rule-draft.ts'
import { RuleForm } from './trust-rule-form.tsx'

export function NewTrustRulePage() {
  const { org } = useParams({ from: '/$org/settings/new-trust-rule' })
  const toList = useToList(org)
  const create = useChange(
    (draft: RuleDraft) =>
      unwrap(
        api.POST('/trust-rules/{org}', {
          params: { path: { org } },
          body: { name: draft.name, ...contentOf(draft) },
        }),
      ),
    { onDone: toList, notice: ({ name }) => `${name} counts from now on` },
  )
  return (
    <Stack>
      <RuleCrumbs org={org} here="New rule" />
      <Title order={1}>New rule for builds</Title>
      <ForRole org={org} minRole="admin" what="the rules for builds">
        <RuleForm
          initial={NEW_RULE}
          isNew
          isPending={create.isPending}
          error={create.error}
          onSubmit={create.mutate}
        />
      </ForRole>
    </Stack>
  )
}

export function TrustRulePage() {
  const { org, name } = useParams({ from: '/$org/settings/trust-rules/$name' })
  return (
    <Stack>
      <RuleCrumbs org={org} here={name} />
      <Title order={1} className="long-name">
        {name}
      </Title>
      <ForRole org={org} minRole="admin" what="the rules for builds">
        <LoadedRule key={`${org} ${name}`} org={org} name={name} />
      </ForRole>
    </Stack>
  )
}

function LoadedRule({ org, name }: { org: string; name: string }) {
  const rule = useQuery({ ...trustRuleQuery(org, name), refetchOnWindowFocus: false })
  if (rule.isPending) return <Loading />
  if (rule.error) return <ErrorAlert error={rule.error} />
  return (
    <>
      <Text size="sm">
        Made by {rule.data.created_by} <RelativeTime at={rule.data.created_at} />, last used{' '}
        <RelativeTime at={rule.data.last_used_at} />
      </Text>
      <ChangeRule org={org} rule={rule.data} />
      <DeleteRule org={org} name={name} />
    </>
  )
}

function ChangeRule({ org, rule }: { org: string; rule: TrustRule }) {
  const save = useChange(
    (draft: RuleDraft) =>
      unwrap(
        api.PUT('/trust-rules/{org}/{name}', {
          params: { path: { org, name: rule.name } },
          body: contentOf(draft),
        }),
      ),
    { notice: 'Saved' },
  )
  return (
    <RuleForm
      initial={draftOf(rule)}
      isNew={false}
      isPending={save.isPending}
      error={save.error}
      onSubmit={save.mutate}
    />
  )
}

function DeleteRule({ org, name }: { org: string; name: string }) {
  const remove = useChange(
    () => unwrap(api.DELETE('/trust-rules/{org}/{name}', { params: { path: { org, name } } })),
    { onDone: useToList(org), notice: `${name} is deleted` },
  )
  return (
    <Card withBorder>
      <Title order={2}>Delete it</Title>
      <Text my="sm">Keys that were given out by it stop working at once.</Text>
      <Group>
        <ConfirmButton
          label="Delete"
          about={`the rule ${name}`}
          question="Builds that came in by this rule are refused from now on."
          change={remove}
          input={undefined}
        />
      </Group>
    </Card>
  )
}

function useToList(org: string) {
  const navigate = useNavigate()
  return () => navigate({ to: '/$org/settings/trust-rules', params: { org } })
}

function RuleCrumbs({ org, here }: { org: string; here: string }) {
  return (
    <Crumbs here={here}>
      <PageLink to="/$org/settings" params={{ org }}>
        Settings
      </PageLink>
      <PageLink to="/$org/settings/trust-rules" params={{ org }}>
        Builds without keys
      </PageLink>
    </Crumbs>
  )
}
