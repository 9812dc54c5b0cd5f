// Links to URLs that users sent. Anything but http and https is shown as text.
import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { uiTexts as texts } from './texts.ts'

const WEB_PROTOCOLS = ['http:', 'https:']

export function isWebUrl(url: string): boolean {
  try {
    return WEB_PROTOCOLS.includes(new URL(url).protocol)
  } catch {
    // Not a URL at all.
    return false
  }
}

export function ExternalLink({ href, children }: { href: string | null | undefined; children?: ReactNode }) {
  if (!href) return <>{children ?? texts.none}</>
  if (!isWebUrl(href)) return <span className="long-name">{children ?? href}</span>
  return (
    <Anchor inherit className="long-name" href={href} target="_blank" rel="noopener noreferrer">
      {children ?? href}
    </Anchor>
  )
}
