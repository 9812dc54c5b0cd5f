// The links to pages of flows, trails and artifacts that many tables have, and the way back up.
import { Anchor, Breadcrumbs, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface Place {
  org: string
  children?: ReactNode
}

export function FlowLink({ org, flow, children }: Place & { flow: string }) {
  return (
    <Anchor inherit renderRoot={props => <Link to="/$org/flows/$flow" params={{ org, flow }} {...props} />}>
      {children ?? flow}
    </Anchor>
  )
}

export function TrailLink({ org, flow, trail, children }: Place & { flow: string; trail: string }) {
  return (
    <Anchor
      inherit
      className="fingerprint"
      renderRoot={props => (
        <Link to="/$org/flows/$flow/trails/$trail" params={{ org, flow, trail }} {...props} />
      )}
    >
      {children ?? trail}
    </Anchor>
  )
}

/** Opens the drawer on the page of its trail. */
export function AttestationLink({
  attestation_id,
  ...place
}: Place & { flow: string; trail: string; attestation_id: string }) {
  const { org, flow, trail, children } = place
  return (
    <Anchor
      inherit
      className="fingerprint"
      renderRoot={props => (
        <Link
          to="/$org/flows/$flow/trails/$trail"
          params={{ org, flow, trail }}
          search={{ attestation_id }}
          resetScroll={false}
          {...props}
        />
      )}
    >
      {children}
    </Anchor>
  )
}

export function ArtifactLink({
  artifact_id,
  ...place
}: Place & { flow: string; fingerprint: string; artifact_id?: string | null }) {
  const { org, flow, fingerprint, children } = place
  return (
    <Anchor
      inherit
      className="fingerprint"
      renderRoot={props => (
        <Link
          to="/$org/flows/$flow/artifacts/$fingerprint"
          params={{ org, flow, fingerprint }}
          search={artifact_id ? { artifact_id } : {}}
          {...props}
        />
      )}
    >
      {children ?? fingerprint}
    </Anchor>
  )
}

export function SnapshotLink({
  org,
  environment,
  index,
}: {
  org: string
  environment: string
  index: number
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
      {environment} #{index}
    </Anchor>
  )
}

/** Where one is below the list of flows. */
export function FlowTrailhead({ org, flow, here }: { org: string; flow: string; here?: string }) {
  return (
    <nav aria-label="Breadcrumbs">
      <Breadcrumbs>
        <Anchor renderRoot={props => <Link to="/$org/flows" params={{ org }} {...props} />}>Flows</Anchor>
        {here === undefined ? <Text>{flow}</Text> : <FlowLink org={org} flow={flow} />}
        {here !== undefined && (
          <Text truncate maw={{ base: 140, sm: 420 }}>
            {here}
          </Text>
        )}
      </Breadcrumbs>
    </nav>
  )
}
