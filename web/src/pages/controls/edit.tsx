// The pages where a control is made and edited.
import { Anchor, Breadcrumbs, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRole } from '../../parts/use-role.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { ControlForm } from './control-form.tsx'
import { controlQuery } from './queries.ts'

export function NewControlPage() {
  const { org } = useParams({ from: '/$org/new-control' })
  return (
    <Stack>
      <Breadcrumbs>
        <ControlsLink org={org} />
        <Text>New</Text>
      </Breadcrumbs>
      <Title order={1}>New control</Title>
      <ForAdmins org={org}>
        <ControlForm org={org} control={null} />
      </ForAdmins>
    </Stack>
  )
}

export function EditControlPage() {
  const { org, identifier } = useParams({ from: '/$org/controls/$identifier/edit' })
  const control = useQuery({ ...controlQuery(org, identifier), refetchOnWindowFocus: false })
  return (
    <Stack>
      <Breadcrumbs>
        <ControlsLink org={org} />
        <Anchor
          renderRoot={props => (
            <Link to="/$org/controls/$identifier" params={{ org, identifier }} {...props} />
          )}
        >
          {identifier}
        </Anchor>
        <Text>Edit</Text>
      </Breadcrumbs>
      <Title order={1}>Edit {identifier}</Title>
      {control.isPending ? (
        <Loading />
      ) : control.error ? (
        <Failed error={control.error} />
      ) : (
        <ForAdmins org={org}>
          <ControlForm key={identifier} org={org} control={control.data} />
        </ForAdmins>
      )}
    </Stack>
  )
}

export function ControlsLink({ org }: { org: string }) {
  return (
    <Anchor renderRoot={props => <Link to="/$org/controls" params={{ org }} {...props} />}>Controls</Anchor>
  )
}

export function ForAdmins({ org, children }: { org: string; children: ReactNode }) {
  const { isAdmin } = useRole(org)
  if (!isAdmin)
    return <Empty title="Only admins can change controls">Ask an admin of the organization.</Empty>
  return children
}
