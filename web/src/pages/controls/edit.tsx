// The pages where a control is made and edited.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ForRole } from '../../parts/for-role.tsx'
import { ControlLink } from '../../parts/links.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { ControlForm } from './control-form.tsx'
import { controlQuery } from './queries.ts'
import { WithControls } from './with-controls.tsx'

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
      <ForRole org={org} minRole="admin" what="controls">
        <WithControls org={org}>
          <ControlForm org={org} control={null} />
        </WithControls>
      </ForRole>
    </Stack>
  )
}

export function EditControlPage() {
  const { org, identifier } = useParams({ from: '/$org/controls/$identifier/edit' })
  return (
    <Stack>
      <Crumbs here="Edit">
        <PageLink to="/$org/controls" params={{ org }}>
          Controls
        </PageLink>
        <ControlLink org={org} identifier={identifier} />
      </Crumbs>
      <Title order={1}>Edit {identifier}</Title>
      <ForRole org={org} minRole="admin" what="controls">
        <WithControls org={org}>
          <Edit key={identifier} org={org} identifier={identifier} />
        </WithControls>
      </ForRole>
    </Stack>
  )
}

function Edit({ org, identifier }: { org: string; identifier: string }) {
  const control = useQuery({ ...controlQuery(org, identifier), refetchOnWindowFocus: false })
  if (control.isPending) return <Loading />
  if (control.error) return <ErrorAlert error={control.error} />
  if (control.data.archived)
    return (
      <Empty title="An archived control is not edited">
        Unarchive it on{' '}
        <ControlLink org={org} identifier={identifier}>
          its page
        </ControlLink>{' '}
        first.
      </Empty>
    )
  return <ControlForm org={org} control={control.data} />
}
