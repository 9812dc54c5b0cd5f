// The pages where a policy is written: a new one, or another version of one that is there.
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

export function NewPolicyPage() {
  const { org } = useParams({ from: '/$org/new-policy' })
  return (
    <Stack>
      <Crumbs here="New policy">
        <PageLink to="/$org/policies" params={{ org }}>
          Policies
        </PageLink>
      </Crumbs>
      <Title order={1}>New policy</Title>
      <ForRole org={org} minRole="member" what="policies">
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
      <Crumbs here="Edit">
        <PageLink to="/$org/policies" params={{ org }}>
          Policies
        </PageLink>
        <PolicyLink org={org} policy={name} />
      </Crumbs>
      <Title order={1} className="fingerprint">
        Edit {name}
      </Title>
      {policy.isPending ? (
        <Loading />
      ) : policy.error ? (
        <ErrorAlert error={policy.error} />
      ) : policy.data.archived ? (
        <Empty title="An archived policy is not edited">
          Unarchive it on{' '}
          <PolicyLink org={org} policy={name}>
            its page
          </PolicyLink>{' '}
          first.
        </Empty>
      ) : (
        <ForRole org={org} minRole="member" what="policies">
          <PolicyForm key={name} org={org} policy={policy.data} />
        </ForRole>
      )}
    </Stack>
  )
}
