// Shows the current organization and switches to another. A native select keeps this file small: every page loads it.
import { NativeSelect } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { shellTexts as texts } from './texts.ts'

export function OrgSwitcher({ org, orgs }: { org: string | undefined; orgs: string[] }) {
  const navigate = useNavigate()
  const known = org === undefined || orgs.includes(org)
  return (
    <NativeSelect
      aria-label={texts.header.organization}
      value={known ? (org ?? '') : ''}
      w={{ base: 130, xs: 200 }}
      onChange={({ currentTarget }) => void navigate({ to: '/$org', params: { org: currentTarget.value } })}
    >
      {(org === undefined || !known) && (
        <option value="" disabled>
          {texts.header.organization}
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
