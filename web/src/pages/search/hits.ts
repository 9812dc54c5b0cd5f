// Search results in one shape for every resource kind. The router checks each link at compile time.
import { linkOptions } from '@tanstack/react-router'
import type { Schemas } from '../../parts/schemas.ts'
import { computeStates, type State, type Verdict } from '../../parts/state-badge.tsx'
import { searchTexts as texts } from './texts.ts'

export interface Place {
  to: string
  params: Record<string, string>
  search?: Record<string, string>
}

export interface Hit {
  /** Unique within its group. */
  key: string
  name: string
  detail: string
  /** Its page; undefined for an artifact that no flow reported. */
  place: Place | undefined
  /** Missing for kinds that are never evaluated; a non-compliant environment may also be stale. */
  verdicts?: readonly State[]
  /** Which kind of verdict they are. */
  by?: Verdict
  /** Whether it or its flow is archived. */
  archived?: boolean
}

export interface HitGroup {
  title: string
  hits: Hit[]
}

const FINGERPRINT_LENGTH = 12

const buildArtifactPlace = (org: string, flow: string, fingerprint: string) =>
  linkOptions({ to: '/$org/flows/$flow/artifacts/$fingerprint', params: { org, flow, fingerprint } })

const buildTrailPlace = (org: string, flow: string, trail: string) =>
  linkOptions({ to: '/$org/flows/$flow/trails/$trail', params: { org, flow, trail } })

export function toArtifactHits(org: string, artifacts: readonly Schemas['ArtifactFound'][] = []): HitGroup {
  const hits = artifacts.map(found => {
    const { flow, fingerprint, git_commit, name, running_in, compliance_state, archived } = found
    const origin = flow === '' ? texts.artifact.fromNoFlow : texts.artifact.from(flow)
    const place =
      running_in.length === 0 ? texts.artifact.notRunning : texts.artifact.runningIn(running_in.join(', '))
    return {
      key: `${flow} ${fingerprint} ${git_commit}`,
      name,
      detail: texts.artifact.detail(fingerprint.slice(0, FINGERPRINT_LENGTH), origin, place),
      place: flow === '' ? undefined : buildArtifactPlace(org, flow, fingerprint),
      verdicts: [compliance_state],
      by: 'template' as const,
      archived,
    }
  })
  return { title: texts.kinds.artifacts, hits }
}

export function toTrailHits(org: string, trails: readonly Schemas['TrailFound'][] = []): HitGroup {
  const hits = trails.map(({ flow_name, trail_name, branch, archived }) => ({
    key: `${flow_name} ${trail_name}`,
    name: trail_name,
    detail: branch === '' ? texts.trail.in(flow_name) : texts.trail.inBranch(flow_name, branch),
    place: buildTrailPlace(org, flow_name, trail_name),
    archived,
  }))
  return { title: texts.kinds.trails, hits }
}

interface NamedTrail {
  name: string
  flow_name: string
  compliance_state: State
}

export function toNamedTrailHits(org: string, trails: readonly NamedTrail[] = []): HitGroup {
  const hits = trails.map(({ name, flow_name, compliance_state }) => ({
    key: `${flow_name} ${name}`,
    name,
    detail: texts.trail.in(flow_name),
    place: buildTrailPlace(org, flow_name, name),
    verdicts: [compliance_state],
    by: 'template' as const,
  }))
  return { title: texts.kinds.trails, hits }
}

interface NamedArtifact {
  id: string
  filename: string
  fingerprint: string
  flow_name: string
  state: State
}

export function toNamedArtifactHits(org: string, artifacts: readonly NamedArtifact[] = []): HitGroup {
  const hits = artifacts.map(({ id, filename, fingerprint, flow_name, state }) => ({
    key: id,
    name: filename,
    detail: texts.artifact.shortDetail(
      fingerprint.slice(0, FINGERPRINT_LENGTH),
      texts.artifact.from(flow_name),
    ),
    place: buildArtifactPlace(org, flow_name, fingerprint),
    verdicts: [state],
    by: 'template' as const,
  }))
  return { title: texts.kinds.artifacts, hits }
}

interface Environment {
  name: string
  type: string
  state: boolean | null
  is_stale: boolean
  unknown_because: string | null
  archived: boolean
}

export function toEnvironmentHits(org: string, environments: readonly Environment[] = []): HitGroup {
  const hits = environments.map(({ name, type, archived, ...evaluated }) => ({
    key: name,
    name,
    detail: type,
    place: linkOptions({ to: '/$org/environments/$environment', params: { org, environment: name } }),
    verdicts: computeStates(evaluated),
    by: 'policies' as const,
    archived,
  }))
  return { title: texts.kinds.environments, hits }
}

interface Described {
  name: string
  description: string
  archived: boolean
}

export function toFlowHits(org: string, flows: readonly Described[] = []): HitGroup {
  const hits = flows.map(({ name, description, archived }) => ({
    key: name,
    name,
    detail: description,
    place: linkOptions({ to: '/$org/flows/$flow', params: { org, flow: name } }),
    archived,
  }))
  return { title: texts.kinds.flows, hits }
}

export function toPolicyHits(org: string, policies: readonly Described[] = []): HitGroup {
  const hits = policies.map(({ name, description, archived }) => ({
    key: name,
    name,
    detail: description,
    place: linkOptions({ to: '/$org/policies/$policy', params: { org, policy: name } }),
    archived,
  }))
  return { title: texts.kinds.policies, hits }
}

export function toControlHits(
  org: string,
  controls: readonly { identifier: string; name: string }[] = [],
): HitGroup {
  const hits = controls.map(({ identifier, name }) => ({
    key: identifier,
    name: identifier,
    detail: name,
    place: linkOptions({ to: '/$org/controls/$identifier', params: { org, identifier } }),
  }))
  return { title: texts.kinds.controls, hits }
}

export function toRepoHits(
  org: string,
  repos: readonly { id: string; name: string; description: string }[] = [],
): HitGroup {
  const hits = repos.map(({ id, name, description }) => ({
    key: id,
    name,
    detail: description,
    place: linkOptions({ to: '/$org/repos/$', params: { org, _splat: name } }),
  }))
  return { title: texts.kinds.repos, hits }
}

/** Merges two groups. A hit in both appears once, as in the first. */
export function mergeGroups(first: HitGroup, second: HitGroup): HitGroup {
  const known = new Set(first.hits.map(identifyPage))
  return {
    title: first.title,
    hits: [...first.hits, ...second.hits.filter(hit => !known.has(identifyPage(hit)))],
  }
}

const identifyPage = ({ place, key }: Hit) => (place === undefined ? key : JSON.stringify(place.params))
