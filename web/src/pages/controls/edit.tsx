// The pages that create and edit a control.
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
import { catalogueTexts as texts } from './texts-catalogue.ts'
import { WithControls } from './with-controls.tsx'

export function NewControlPage() {
  const { org } = useParams({ from: '/$org/new-control' })
  return (
    <Stack>
      <Crumbs here={texts.edit.newControl}>
        <PageLink to="/$org/controls" params={{ org }}>
          {texts.controls}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.edit.newControl}</Title>
      <ForRole org={org} minRole="admin" what={texts.subject}>
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
      <Crumbs here={texts.edit.edit}>
        <PageLink to="/$org/controls" params={{ org }}>
          {texts.controls}
        </PageLink>
        <ControlLink org={org} identifier={identifier} />
      </Crumbs>
      <Title order={1}>{texts.edit.title(identifier)}</Title>
      <ForRole org={org} minRole="admin" what={texts.subject}>
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
      <Empty title={texts.edit.archived}>
        {texts.edit.unarchiveOn}{' '}
        <ControlLink org={org} identifier={identifier}>
          {texts.edit.itsPage}
        </ControlLink>{' '}
        {texts.edit.first}
      </Empty>
    )
  return <ControlForm org={org} control={control.data} />
}
