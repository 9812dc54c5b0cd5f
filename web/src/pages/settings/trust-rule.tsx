// The pages that create, edit and delete a trust rule.
import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { RawJson } from '../../ui/raw-json.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { trustRuleQuery } from './queries.ts'
import { provisioningTexts as texts } from './texts-provisioning.ts'
import { NEW_RULE, type TrustRule, toContent, toDraft } from './trust-rule-draft.ts'
import { RuleForm } from './trust-rule-form.tsx'

export function NewTrustRulePage() {
  const { org } = useParams({ from: '/$org/settings/new-trust-rule' })
  const openList = useOpenList(org)
  return (
    <Stack>
      <RuleCrumbs org={org} here={texts.trustRule.newCrumb} />
      <Title order={1}>{texts.trustRule.newTitle}</Title>
      <ForRole org={org} minRole="admin" what={texts.trustRules.what}>
        <RuleForm
          initial={NEW_RULE}
          isNew
          send={draft =>
            unwrap(
              api.POST('/trust-rules/{org}', {
                params: { path: { org } },
                body: { name: draft.name, ...toContent(draft) },
              }),
            )
          }
          notice={texts.trustRule.created}
          onDone={openList}
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
      <ForRole org={org} minRole="admin" what={texts.trustRules.what} verb="see">
        <LoadedRule key={`${org} ${name}`} org={org} name={name} />
      </ForRole>
    </Stack>
  )
}

function LoadedRule({ org, name }: { org: string; name: string }) {
  const { isAdmin } = useRole(org)
  const rule = useQuery({ ...trustRuleQuery(org, name), refetchOnWindowFocus: false })
  if (rule.isPending) return <Loading />
  if (rule.error) return <ErrorAlert error={rule.error} />
  return (
    <>
      <Text size="sm">
        {texts.trustRule.createdBy(rule.data.created_by)} <RelativeTime at={rule.data.created_at} />
        {texts.trustRule.lastUsed} <RelativeTime at={rule.data.last_used_at} />
      </Text>
      {isAdmin ? (
        <>
          <RuleEditor org={org} rule={rule.data} />
          <RuleDeletion org={org} name={name} />
        </>
      ) : (
        <RawJson value={rule.data} />
      )}
    </>
  )
}

function RuleEditor({ org, rule }: { org: string; rule: TrustRule }) {
  const path = { org, name: rule.name }
  return (
    <RuleForm
      initial={toDraft(rule)}
      isNew={false}
      send={draft =>
        unwrap(api.PUT('/trust-rules/{org}/{name}', { params: { path }, body: toContent(draft) }))
      }
      notice={texts.trustRule.saved}
    />
  )
}

function RuleDeletion({ org, name }: { org: string; name: string }) {
  const remove = useChange(
    () => unwrap(api.DELETE('/trust-rules/{org}/{name}', { params: { path: { org, name } } })),
    { onDone: useOpenList(org), notice: texts.trustRule.deleted(name) },
  )
  return (
    <Card withBorder>
      <Title order={2}>{texts.trustRule.deleteTitle}</Title>
      <Text my="sm">{texts.trustRule.deleteHelp}</Text>
      <Group>
        <ConfirmButton
          label={texts.trustRule.delete}
          about={texts.trustRule.deleteAbout(name)}
          question={texts.trustRule.deleteQuestion}
          change={remove}
          input={undefined}
        />
      </Group>
    </Card>
  )
}

function useOpenList(org: string) {
  const navigate = useNavigate()
  return () => navigate({ to: '/$org/settings/trust-rules', params: { org } })
}

function RuleCrumbs({ org, here }: { org: string; here: string }) {
  return (
    <Crumbs here={here}>
      <PageLink to="/$org/settings" params={{ org }}>
        {texts.crumbs.settings}
      </PageLink>
      <PageLink to="/$org/settings/trust-rules" params={{ org }}>
        {texts.crumbs.trustRules}
      </PageLink>
    </Crumbs>
  )
}
