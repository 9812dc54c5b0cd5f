// The pages for creating and editing a policy.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ForRole } from '../../parts/for-role.tsx'
import { PolicyLink } from '../../parts/links.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { PolicyForm } from './policy-form.tsx'
import { policyQuery } from './queries.ts'
import { policiesTexts as texts } from './texts.ts'

export function NewPolicyPage() {
  const { org } = useParams({ from: '/$org/new-policy' })
  return (
    <Stack>
      <Crumbs here={texts.edit.newTitle}>
        <PageLink to="/$org/policies" params={{ org }}>
          {texts.crumbs.policies}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.edit.newTitle}</Title>
      <ForRole org={org} minRole="member" what={texts.edit.what}>
        <PolicyForm org={org} policy={null} />
      </ForRole>
    </Stack>
  )
}

export function EditPolicyPage() {
  const { org, policy: name } = useParams({ from: '/$org/policies/$policy/edit' })
  const policy = useQuery({ ...policyQuery(org, name), refetchOnWindowFocus: false })
  return (
    <Stack>
      <Crumbs here={texts.edit.editCrumb}>
        <PageLink to="/$org/policies" params={{ org }}>
          {texts.crumbs.policies}
        </PageLink>
        <PolicyLink org={org} policy={name} />
      </Crumbs>
      <Title order={1} className="fingerprint">
        {texts.edit.editTitle(name)}
      </Title>
      {policy.isPending ? (
        <Loading />
      ) : policy.error ? (
        <ErrorAlert error={policy.error} />
      ) : policy.data.archived ? (
        <Empty title={texts.edit.archived}>
          {texts.edit.archivedHelpBefore}{' '}
          <PolicyLink org={org} policy={name}>
            {texts.edit.archivedHelpLink}
          </PolicyLink>{' '}
          {texts.edit.archivedHelpAfter}
        </Empty>
      ) : (
        <ForRole org={org} minRole="member" what={texts.edit.what}>
          <PolicyForm key={name} org={org} policy={policy.data} />
        </ForRole>
      )}
    </Stack>
  )
}
