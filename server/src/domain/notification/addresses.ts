// Where the pages and the API show what a message speaks of. Every part of a path is encoded, so a name cannot lead
// elsewhere. Addresses that users gave are judged before they become links.
import { parseUrl } from '../url.ts'
import type {
  EnvironmentNotice,
  FlowNotice,
  KeyExpiryNotice,
  NoticeArtifact,
  NoticeProvenance,
} from './notice.ts'
import { toWellFormed } from './plain-text.ts'

export interface Address {
  html_url: string
  api_url: string
}

/** Null before the first snapshot. */
export function buildSnapshotAddress(notice: EnvironmentNotice, base_url: string): Address | null {
  const { org, environment, snapshot } = notice
  if (!snapshot) return null
  const index = String(snapshot.index)
  return {
    html_url: buildUrl(base_url, [org, 'environments', environment, 'snapshots', index]),
    api_url: buildUrl(base_url, ['api', 'v2', 'snapshots', org, environment, index]),
  }
}

/** The newest snapshot as far as the message knows, or else the environment. */
export function buildEnvironmentPageUrl(notice: EnvironmentNotice, base_url: string): string {
  const { org, environment } = notice
  return (
    buildSnapshotAddress(notice, base_url)?.html_url ?? buildUrl(base_url, [org, 'environments', environment])
  )
}

/** Null where the environment did not tell the fingerprint: then there is no page of it. */
export function buildArtifactAddress(
  org: string,
  { fingerprint }: NoticeArtifact,
  { flow_name }: NoticeProvenance,
  base_url: string,
): Address | null {
  if (fingerprint === '') return null
  return {
    html_url: buildUrl(base_url, [org, 'flows', flow_name, 'artifacts', fingerprint]),
    api_url: buildUrl(base_url, ['api', 'v2', 'artifacts', org, flow_name, 'fingerprint', fingerprint]),
  }
}

/** Null where nothing was reported on a trail. */
export function buildTrailAddress({ org, flow, trail }: FlowNotice, base_url: string): Address | null {
  if (trail === null) return null
  return {
    html_url: buildUrl(base_url, [org, 'flows', flow, 'trails', trail]),
    api_url: buildUrl(base_url, ['api', 'v2', 'trails', org, flow, trail]),
  }
}

/** Null where the artifact has not been reported yet, or none is meant. */
export function buildFlowArtifactAddress(
  { org, flow, artifact }: FlowNotice,
  base_url: string,
): Address | null {
  if (!artifact?.fingerprint) return null
  const { fingerprint } = artifact
  return {
    html_url: buildUrl(base_url, [org, 'flows', flow, 'artifacts', fingerprint]),
    api_url: buildUrl(base_url, ['api', 'v2', 'artifacts', org, flow, 'fingerprint', fingerprint]),
  }
}

/** The trail, or else the flow. */
export function buildFlowPageUrl(notice: FlowNotice, base_url: string): string {
  return (
    buildTrailAddress(notice, base_url)?.html_url ?? buildUrl(base_url, [notice.org, 'flows', notice.flow])
  )
}

export function buildNotificationsPageUrl(org: string, base_url: string): string {
  return buildUrl(base_url, [org, 'settings', 'notifications'])
}

/** Who has only personal keys may not see the service accounts: the front page leads on from there. */
export function buildKeysPageUrl({ org, keys }: KeyExpiryNotice, base_url: string): string {
  const isPersonal = keys.length > 0 && keys.every(({ is_personal }) => is_personal)
  return isPersonal ? `${base_url}/` : buildUrl(base_url, [org, 'settings', 'service-accounts'])
}

/** Judged as browsers read it: they skip control characters and spaces that the eye does not see. */
export function isWebAddress(given: string): boolean {
  return /^https?:\/\//i.test(given) && /^https?:$/.test(parseUrl(given)?.protocol ?? '')
}

function buildUrl(base_url: string, path: readonly string[]): string {
  return `${base_url}/${path.map(part => encodeURIComponent(toWellFormed(part))).join('/')}`
}
