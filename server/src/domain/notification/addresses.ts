// Builds the page and API URLs of a message's subject. Every path segment is encoded, so a name cannot change where a
// URL leads. User-supplied addresses are checked before they become links.
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

/** The latest snapshot known to the message, or else the environment. */
export function buildEnvironmentPageUrl(notice: EnvironmentNotice, base_url: string): string {
  const { org, environment } = notice
  return (
    buildSnapshotAddress(notice, base_url)?.html_url ?? buildUrl(base_url, [org, 'environments', environment])
  )
}

/** Null if the environment did not report the fingerprint: there is no page for the artifact then. */
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

/** Null if it was reported without a trail. */
export function buildTrailAddress({ org, flow, trail }: FlowNotice, base_url: string): Address | null {
  if (trail === null) return null
  return {
    html_url: buildUrl(base_url, [org, 'flows', flow, 'trails', trail]),
    api_url: buildUrl(base_url, ['api', 'v2', 'trails', org, flow, trail]),
  }
}

/** Null if the artifact has not been reported yet, or if the event is not about an artifact. */
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

export function buildTokensPageUrl(org: string, base_url: string): string {
  return buildUrl(base_url, [org, 'settings', 'scim-tokens'])
}

/** The page *Proof*. */
export function buildLogPageUrl(org: string, base_url: string): string {
  return buildUrl(base_url, [org, 'proof'])
}

/** The owner of only personal keys may have no access to service accounts, so the link goes to the front page. */
export function buildKeysPageUrl({ org, keys }: KeyExpiryNotice, base_url: string): string {
  const isPersonal = keys.length > 0 && keys.every(({ is_personal }) => is_personal)
  return isPersonal ? `${base_url}/` : buildUrl(base_url, [org, 'settings', 'service-accounts'])
}

/** Parses the address as browsers do: they skip control characters and spaces that people do not see. */
export function isWebAddress(given: string): boolean {
  return /^https?:\/\//i.test(given) && /^https?:$/.test(parseUrl(given)?.protocol ?? '')
}

function buildUrl(base_url: string, path: readonly string[]): string {
  return `${base_url}/${path.map(part => encodeURIComponent(toWellFormed(part))).join('/')}`
}
