// What was found, in the same shape whatever it is: for the page of results and for the box.
import type { Schemas } from '../../parts/schemas.ts'
import { type State, stateOf } from '../../parts/state-badge.tsx'

export interface Hit {
  /** Within its group. */
  key: string
  name: string
  detail: string
  /** The path of its page; undefined for an artifact that no flow knows, which has none. */
  path: string | undefined
  /** Undefined for what is never judged. */
  verdict?: State
}

export interface HitGroup {
  title: string
  hits: Hit[]
}

type Artifact = Schemas['ArtifactFound']
type Trail = Schemas['TrailFound']

const SHOWN_OF_FINGERPRINT = 12

const pageOf = (...parts: string[]) => `/${parts.map(encodeURIComponent).join('/')}`

export function artifactHits(org: string, artifacts: readonly Artifact[] = []): HitGroup {
  const hits = artifacts.map(({ flow, fingerprint, git_commit, name, running_in, compliance_state }) => {
    const origin = flow === '' ? 'no flow knows it' : `from ${flow}`
    const place = running_in.length === 0 ? 'runs nowhere' : `runs in ${running_in.join(', ')}`
    return {
      key: `${flow} ${fingerprint} ${git_commit}`,
      name,
      detail: `${fingerprint.slice(0, SHOWN_OF_FINGERPRINT)}, ${origin}, ${place}`,
      path: flow === '' ? undefined : pageOf(org, 'flows', flow, 'artifacts', fingerprint),
      verdict: compliance_state,
    }
  })
  return { title: 'Artifacts', hits }
}

export function trailHits(org: string, trails: readonly Trail[] = []): HitGroup {
  const hits = trails.map(({ flow_name, trail_name, branch }) => ({
    key: `${flow_name} ${trail_name}`,
    name: trail_name,
    detail: branch === '' ? `in ${flow_name}` : `in ${flow_name}, branch ${branch}`,
    path: pageOf(org, 'flows', flow_name, 'trails', trail_name),
  }))
  return { title: 'Trails', hits }
}

interface Environment {
  name: string
  type: string
  state: boolean | null
}

export function environmentHits(org: string, environments: readonly Environment[] = []): HitGroup {
  const hits = environments.map(({ name, type, state }) => ({
    key: name,
    name,
    detail: type,
    path: pageOf(org, 'environments', name),
    verdict: stateOf(state),
  }))
  return { title: 'Environments', hits }
}

interface Described {
  name: string
  description: string
}

export function flowHits(org: string, flows: readonly Described[] = []): HitGroup {
  return { title: 'Flows', hits: flows.map(flow => describedHit(flow, pageOf(org, 'flows', flow.name))) }
}

export function policyHits(org: string, policies: readonly Described[] = []): HitGroup {
  return {
    title: 'Policies',
    hits: policies.map(policy => describedHit(policy, pageOf(org, 'policies', policy.name))),
  }
}

export function controlHits(
  org: string,
  controls: readonly { identifier: string; name: string }[] = [],
): HitGroup {
  const hits = controls.map(({ identifier, name }) => ({
    key: identifier,
    name: identifier,
    detail: name,
    path: pageOf(org, 'controls', identifier),
  }))
  return { title: 'Controls', hits }
}

const describedHit = ({ name, description }: Described, path: string): Hit => ({
  key: name,
  name,
  detail: description,
  path,
})
