// The pages where a control is made and edited.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ForRole } from '../../parts/for-role.tsx'
import { ControlLink } from '../../parts/links.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { ControlForm } from './control-form.tsx'
import { controlQuery } from './queries.ts'

export function NewControlPage() {
  const { org } = useParams({ from: '/$org/new-control' })
  return (
    <Stack>
      <Crumbs here="New control">
        <PageLink to="/$org/controls" params={{ org }}>
          Controls
        </PageLink>
      </Crumbs>
      <Title order={1}>New control</Title>
      <ForRole org={org} least="admin" what="controls">
        <ControlForm org={org} control={null} />
      </ForRole>
    </Stack>
  )
}

export function EditControlPage() {
  const { org, identifier } = useParams({ from: '/$org/controls/$identifier/edit' })
  const control = useQuery({ ...controlQuery(org, identifier), refetchOnWindowFocus: false })
  return (
    <Stack>
      <Crumbs here="Edit">
        <PageLink to="/$org/controls" params={{ org }}>
          Controls
        </PageLink>
        <ControlLink org={org} identifier={identifier} />
      </Crumbs>
      <Title order={1}>Edit {identifier}</Title>
      {control.isPending ? (
        <Loading />
      ) : control.error ? (
        <Failed error={control.error} />
      ) : (
        <ForRole org={org} least="admin" what="controls">
          <ControlForm key={identifier} org={org} control={control.data} />
        </ForRole>
      )}
    </Stack>
  )
}
