// Which organization one is in, and the way to another. The browser's own list, because every page waits for this file.
import { NativeSelect } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'

export function OrgSwitcher({ org, orgs }: { org: string | undefined; orgs: string[] }) {
  const navigate = useNavigate()
  const known = org === undefined || orgs.includes(org)
  return (
    <NativeSelect
      aria-label="Organization"
      value={known ? (org ?? '') : ''}
      w={{ base: 130, xs: 200 }}
      onChange={({ currentTarget }) => void navigate({ to: '/$org', params: { org: currentTarget.value } })}
    >
      {(org === undefined || !known) && (
        <option value="" disabled>
          Organization
        </option>
      )}
      {orgs.map(name => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </NativeSelect>
  )
}
