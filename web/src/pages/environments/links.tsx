// Links to pages of ours by their path, and to the outside: http and https only.
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import './environments.css'

/** Names may hold anything, so each part is encoded. */
export const pathOf = (...parts: string[]) => `/${parts.map(encodeURIComponent).join('/')}`

export function PageLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor inherit renderRoot={props => <Link to={to} {...props} />}>
      {children}
    </Anchor>
  )
}

export function SnapshotLink({
  org,
  environment,
  index,
  children,
}: {
  org: string
  environment: string
  index: number
  children: ReactNode
}) {
  return (
    <Anchor
      inherit
      renderRoot={props => (
        <Link
          to="/$org/environments/$environment/snapshots/$expression"
          params={{ org, environment, expression: String(index) }}
          {...props}
        />
      )}
    >
      {children}
    </Anchor>
  )
}

/** Plain text where the address is none that a browser should follow. */
export function OutsideLink({ href, children }: { href: string | null | undefined; children: ReactNode }) {
  if (!href || !/^https?:\/\//i.test(href)) return <>{children}</>
  return (
    <Anchor inherit href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </Anchor>
  )
}

/** The artifact in its flow; only its name where no flow knows it. */
export function ArtifactLink({
  org,
  flow,
  fingerprint,
  name,
}: {
  org: string
  flow: string
  fingerprint: string
  name: string
}) {
  if (flow === '' || fingerprint === '') return <span className="fingerprint">{name}</span>
  return (
    <span className="fingerprint">
      <PageLink to={pathOf(org, 'flows', flow, 'artifacts', fingerprint)}>{name}</PageLink>
    </span>
  )
}
