// What can be set about an environment.
import { Button, Group, MultiSelect, Stack, Switch, Textarea, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { answered, api } from '../../api.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { environmentsQuery } from '../../parts/queries.ts'
import { TagEditor } from '../../parts/tags.tsx'
import { Failed } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import type { Environment } from './answers.ts'
import { type Place, pathParams } from './place.ts'
import { ArchiveForm, RenameForm } from './rename-archive.tsx'

export function SettingsTab({ place, environment }: { place: Place; environment: Environment }) {
  return (
    <ForRole org={place.org} least="member" what="environments">
      <Stack gap="xl" maw={640}>
        <section>
          <Title order={2} size="h3" mb="sm">
            About
          </Title>
          <AboutForm place={place} environment={environment} />
        </section>
        <section>
          <Title order={2} size="h3" mb="sm">
            Tags
          </Title>
          <TagEditor
            org={place.org}
            resource_type="environment"
            resource_id={environment.name}
            tags={environment.tags}
          />
        </section>
        <section>
          <Title order={2} size="h3" mb="sm">
            Rename
          </Title>
          <RenameForm place={place} />
        </section>
        <section>
          <Title order={2} size="h3" mb="sm">
            Archive
          </Title>
          <ArchiveForm place={place} />
        </section>
      </Stack>
    </ForRole>
  )
}

interface About {
  description: string
  include_scaling: boolean
  included_environments?: string[]
}

function AboutForm({ place, environment }: { place: Place; environment: Environment }) {
  const [description, setDescription] = useState(environment.description)
  const [include_scaling, setIncludeScaling] = useState(environment.include_scaling)
  const [included, setIncluded] = useState(environment.included_environments ?? [])
  const save = useChange(
    (body: About) =>
      answered(api.PATCH('/environments/{org}/{env_name}', { params: pathParams(place), body })),
    { said: 'Saved' },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isLogical = environment.type === 'logical'
    save.mutate({ description, include_scaling, ...(isLogical && { included_environments: included }) })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Textarea
          label="Description"
          autosize
          minRows={2}
          value={description}
          onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        />
        {environment.type === 'logical' ? (
          <IncludedEnvironments org={place.org} included={included} onChange={setIncluded} />
        ) : (
          <Switch
            label="Scaling makes snapshots"
            description="A change of nothing but the number of instances makes a snapshot, too"
            checked={include_scaling}
            onChange={({ currentTarget }) => setIncludeScaling(currentTarget.checked)}
          />
        )}
        {save.error && <Failed error={save.error} />}
        <Group>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface IncludedProps {
  org: string
  included: string[]
  onChange: (included: string[]) => void
}

function IncludedEnvironments({ org, included, onChange }: IncludedProps) {
  const { data = [] } = useQuery(environmentsQuery(org))
  const physical = data.filter(({ type }) => type !== 'logical').map(({ name }) => name)
  return (
    <MultiSelect
      label="Combines"
      data={[...new Set([...physical, ...included])]}
      value={included}
      onChange={onChange}
      searchable
    />
  )
}
