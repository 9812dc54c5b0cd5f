// Addresses that others have sent: a link when they lead to the web, text when they lead anywhere else.
import { Anchor, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './text.module.css'

export function isWebAddress(address: string): boolean {
  const parsed = URL.canParse(address) ? new URL(address) : null
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:'
}

export function SafeLink({ href, children }: { href: string | null | undefined; children?: ReactNode }) {
  if (!href) return <>{children ?? 'none'}</>
  if (!isWebAddress(href)) {
    return (
      <Text span className="fingerprint">
        {children ?? href}
      </Text>
    )
  }
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" className="fingerprint" inherit>
      {children ?? href}
    </Anchor>
  )
}

const SHORT_SHA_LENGTH = 8

export function CommitLink({
  sha,
  url,
}: {
  sha: string | null | undefined
  url?: string | null | undefined
}) {
  if (!sha) return <>none</>
  return (
    <SafeLink href={url ?? null}>
      <span className={`fingerprint ${styles.short}`} title={sha}>
        {sha.slice(0, SHORT_SHA_LENGTH)}
      </span>
    </SafeLink>
  )
}
