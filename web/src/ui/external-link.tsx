// Addresses that others have sent: a link when they lead to the web, text when they lead anywhere else.
import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'

const WEB = ['http:', 'https:']

export function isWebUrl(address: string): boolean {
  try {
    return WEB.includes(new URL(address).protocol)
  } catch {
    // Not an address at all, and so not one of the web.
    return false
  }
}

export function ExternalLink({ href, children }: { href: string | null | undefined; children?: ReactNode }) {
  if (!href) return <>{children ?? 'none'}</>
  if (!isWebUrl(href)) return <span className="long-name">{children ?? href}</span>
  return (
    <Anchor inherit className="long-name" href={href} target="_blank" rel="noopener noreferrer">
      {children ?? href}
    </Anchor>
  )
}
