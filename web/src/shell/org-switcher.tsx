// Shows the current organization and switches to another. A plain select, because every page loads this code.
import { IconSelector } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import styles from './org-switcher.module.css'
import { shellTexts as texts } from './texts.ts'

export function OrgSwitcher({ org, orgs }: { org: string | undefined; orgs: string[] }) {
  const navigate = useNavigate()
  const known = org === undefined || orgs.includes(org)
  return (
    <div className={styles.place}>
      <select
        className={`mantine-focus-auto ${styles.select}`}
        aria-label={texts.header.organization}
        value={known ? (org ?? '') : ''}
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
      </select>
      <IconSelector className={styles.sign} size={16} stroke={1.6} aria-hidden />
    </div>
  )
}
