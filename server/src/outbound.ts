// Configures outgoing requests from the settings: the hosts that the operator allows, and the log of blocked ones.

import { type Egress, type EgressParts, getHost, makeEgress } from '@waybill/egress'
import { findEndpoint } from './evidence/open.ts'
import type { Log } from './lib/log.ts'
import { parseUrl } from './lib/url.ts'
import type { AuditSink } from './settings/audit-sinks.ts'
import type { Config } from './settings/config.ts'

type Settings = Pick<
  Config,
  | 'egress_allow'
  | 'dns_server'
  | 'oidc_providers'
  | 'ci_issuers'
  | 'smtp_url'
  | 'evidence_url'
  | 'log_policy'
  | 'audit_sinks'
  | 'telemetry'
>

export interface OutboundParts extends Pick<EgressParts, 'clock' | 'trusted_ca' | 'limits'> {
  version: string
  log: Pick<Log, 'warn' | 'error'> | undefined
}

export function buildEgress(settings: Settings, { version, log, ...parts }: OutboundParts): Egress {
  return makeEgress({
    ...parts,
    allow: settings.egress_allow,
    dns_server: settings.dns_server,
    operator_hosts: listOperatorHosts(settings),
    user_agent: `waybill/${version}`,
    onRefused: (host, range) =>
      log?.warn({ host, range }, 'a host name resolves to an address that is not public'),
    onFault: error => log?.error({ err: error }, 'a message could not be sent because of an internal error'),
  })
}

function listOperatorHosts(settings: Settings): string[] {
  const { oidc_providers, ci_issuers, smtp_url, evidence_url, log_policy, audit_sinks, telemetry } = settings
  const witnesses = log_policy?.witnesses.map(({ url }) => url) ?? []
  const evidence = evidence_url === undefined ? undefined : findEndpoint(new URL(evidence_url))
  const addresses = [
    ...oidc_providers.map(({ issuer }) => issuer),
    ...ci_issuers,
    smtp_url,
    evidence,
    ...witnesses,
    ...audit_sinks.map(getSinkAddress),
    telemetry?.url,
  ]
  return addresses.flatMap(address => {
    const url = address === undefined ? undefined : parseUrl(address)
    return url ? getHost(url) : []
  })
}

function getSinkAddress(sink: AuditSink): string | undefined {
  if (sink.kind === 'syslog') return `tls://${sink.host}`
  return sink.kind === 's3' ? findEndpoint(new URL(sink.url)) : sink.url
}
