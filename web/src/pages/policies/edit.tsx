// The pages where a policy is written: a new one, or another version of one that is there.
import { Anchor, Breadcrumbs, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useRole } from '../../parts/use-role.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { PolicyForm } from './policy-form.tsx'
import { policyQuery } from './queries.ts'

const FIRST_TEXT = `_schema: https://waybill.example/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
`

export function NewPolicyPage() {
  const { org } = useParams({ from: '/$org/new-policy' })
  return (
    <Stack>
      <Breadcrumbs>
        <PoliciesLink org={org} />
        <Text>New</Text>
      </Breadcrumbs>
      <Title order={1}>New policy</Title>
      <ForMembers org={org}>
        <PolicyForm org={org} policy={null} description="" text={FIRST_TEXT} />
      </ForMembers>
    </Stack>
  )
}

export function EditPolicyPage() {
  const { org, policy: name } = useParams({ from: '/$org/policies/$policy/edit' })
  const policy = useQuery({ ...policyQuery(org, name), refetchOnWindowFocus: false })
  return (
    <Stack>
      <Breadcrumbs>
        <PoliciesLink org={org} />
        <Anchor
          renderRoot={props => <Link to="/$org/policies/$policy" params={{ org, policy: name }} {...props} />}
        >
          {name}
        </Anchor>
        <Text>Edit</Text>
      </Breadcrumbs>
      <Title order={1} className="fingerprint">
        Edit {name}
      </Title>
      {policy.isPending ? (
        <Loading />
      ) : policy.error ? (
        <Failed error={policy.error} />
      ) : (
        <ForMembers org={org}>
          <PolicyForm
            key={name}
            org={org}
            policy={name}
            description={policy.data.description}
            text={policy.data.versions.at(-1)?.policy_yaml ?? FIRST_TEXT}
          />
        </ForMembers>
      )}
    </Stack>
  )
}

function PoliciesLink({ org }: { org: string }) {
  return (
    <Anchor renderRoot={props => <Link to="/$org/policies" params={{ org }} {...props} />}>Policies</Anchor>
  )
}

function ForMembers({ org, children }: { org: string; children: React.ReactNode }) {
  const { isMember } = useRole(org)
  if (!isMember) return <Empty title="Only members can change policies">Ask an admin for the role.</Empty>
  return children
}
