// Links to pages, shared by many tables. A resource without a page is shown as text.
import type { ReactNode } from 'react'
import { ExternalLink } from '../ui/external-link.tsx'
import { PageLink } from '../ui/page-link.tsx'
import styles from '../ui/text.module.css'
import { partsTexts as texts } from './texts.ts'

interface Place {
  org: string
  /** Defaults to the resource's name. */
  children?: ReactNode
}

export function FlowLink({ org, flow, children }: Place & { flow: string }) {
  return (
    <PageLink to="/$org/flows/$flow" params={{ org, flow }} className="long-name">
      {children ?? flow}
    </PageLink>
  )
}

interface TrailPlace extends Place {
  flow: string
  trail: string
}

export function TrailLink({ org, flow, trail, children }: TrailPlace) {
  return (
    <PageLink to="/$org/flows/$flow/trails/$trail" params={{ org, flow, trail }} className="long-name">
      {children ?? trail}
    </PageLink>
  )
}

/** Opens the attestation in a drawer on the page of its trail. */
export function AttestationLink(props: TrailPlace & { attestation_id: string }) {
  const { org, flow, trail, attestation_id, children } = props
  return (
    <PageLink
      to="/$org/flows/$flow/trails/$trail"
      params={{ org, flow, trail }}
      search={{ attestation_id }}
      resetScroll={false}
      className="long-name"
    >
      {children}
    </PageLink>
  )
}

const CUSTOM = 'custom:'

/** Built-in types have no page. */
export function AttestationTypeLink({ org, type }: { org: string; type: string }) {
  if (!type.startsWith(CUSTOM)) return <>{type}</>
  const name = type.slice(CUSTOM.length)
  return (
    <PageLink to="/$org/attestation-types/$name" params={{ org, name }} className="long-name">
      {type}
    </PageLink>
  )
}

interface ArtifactPlace extends Place {
  /** Empty or null if the artifact belongs to no flow; then it has no page. */
  flow: string | null
  fingerprint: string
  /** Distinguishes reports with the same fingerprint. */
  artifact_id?: string | null
}

export function ArtifactLink({ org, flow, fingerprint, artifact_id, children }: ArtifactPlace) {
  const look = children === undefined ? 'fingerprint' : 'long-name'
  if (!flow || fingerprint === '') return <span className={look}>{children ?? fingerprint}</span>
  return (
    <PageLink
      to="/$org/flows/$flow/artifacts/$fingerprint"
      params={{ org, flow, fingerprint }}
      search={artifact_id ? { artifact_id } : {}}
      className={look}
    >
      {children ?? fingerprint}
    </PageLink>
  )
}

export function EnvironmentLink({ org, environment, children }: Place & { environment: string }) {
  return (
    <PageLink to="/$org/environments/$environment" params={{ org, environment }} className="long-name">
      {children ?? environment}
    </PageLink>
  )
}

export function SnapshotLink(props: Place & { environment: string; index: number }) {
  const { org, environment, index, children } = props
  return (
    <PageLink
      to="/$org/environments/$environment/snapshots/$expression"
      params={{ org, environment, expression: String(index) }}
      className="long-name"
    >
      {children ?? texts.links.snapshot(environment, index)}
    </PageLink>
  )
}

export function PolicyLink({ org, policy, children }: Place & { policy: string }) {
  return (
    <PageLink to="/$org/policies/$policy" params={{ org, policy }} className="long-name">
      {children ?? policy}
    </PageLink>
  )
}

export function ControlLink({ org, identifier, children }: Place & { identifier: string }) {
  return (
    <PageLink to="/$org/controls/$identifier" params={{ org, identifier }} className="long-name">
      {children ?? identifier}
    </PageLink>
  )
}

export function RepoLink({ org, repo, children }: Place & { repo: string }) {
  return (
    <PageLink to="/$org/repos/$" params={{ org, _splat: repo }} className="long-name">
      {children ?? repo}
    </PageLink>
  )
}

const SHORT_SHA_LENGTH = 8

interface CommitLinkProps {
  sha: string | null | undefined
  url?: string | null | undefined
}

/** Links to the commit in its repository. */
export function CommitLink({ sha, url }: CommitLinkProps) {
  if (!sha) return <>{texts.links.noCommit}</>
  return (
    <ExternalLink href={url}>
      <span className={`fingerprint ${styles.short}`} title={sha}>
        {sha.slice(0, SHORT_SHA_LENGTH)}
      </span>
    </ExternalLink>
  )
}
