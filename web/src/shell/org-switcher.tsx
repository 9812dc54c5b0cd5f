// Which organization one is in, and the way to another.
import { Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'

export function OrgSwitcher({ org, orgs }: { org: string | undefined; orgs: string[] }) {
  const navigate = useNavigate()
  return (
    <Select
      aria-label="Organization"
      placeholder="Organization"
      data={orgs}
      value={org ?? null}
      searchable
      allowDeselect={false}
      nothingFoundMessage="You are in no organization of that name"
      w={{ base: 130, xs: 200 }}
      onChange={chosen => {
        if (chosen !== null) void navigate({ to: '/$org', params: { org: chosen } })
      }}
    />
  )
}
