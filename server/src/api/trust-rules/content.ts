// Builds the content of a trust rule from a request: fills in defaults and resolves the flow.
import type { Db } from '../../db/database.ts'
import { CI_FAMILIES, FAMILIES } from '../../domain/key-scope.ts'
import { findKind, inferKind } from '../../domain/keyless/rule.ts'
import { requireActiveFlow } from '../flows/problems.ts'
import { findFlow } from '../flows/store.ts'
import type { CallerOrg } from '../operation.ts'
import type { RuleContent } from './store.ts'
import type { TrustRulePut } from './wire.ts'

export async function buildContent(
  tx: Db,
  org: CallerOrg,
  body: TrustRulePut,
  base_url: string,
): Promise<RuleContent> {
  const { description, issuer, issuer_kind, audience, claims, jwks, privilege, operations, flow_name } = body
  const flow = typeof flow_name === 'string' ? await requireFlowByName(tx, org, flow_name) : undefined
  return {
    description: description ?? '',
    issuer,
    issuer_kind: issuer_kind ?? inferKind(issuer, claims) ?? null,
    audience: audience ?? `${base_url}/${org.name}`,
    claims,
    jwks: jwks ?? null,
    privilege,
    operations: FAMILIES.filter(family => (operations ?? CI_FAMILIES).includes(family)),
    flow_id: flow?.flow_id ?? null,
    flow_name: flow?.name ?? null,
  }
}

function requireFlowByName(tx: Db, org: CallerOrg, flow_name: string) {
  return findFlow(tx, org.org_id, flow_name).then(flow => requireActiveFlow(flow, org.name, flow_name))
}

/** The details of a rule in events. */
export function summarizeRule(rule: RuleContent): Omit<RuleContent, 'flow_id'> {
  const { description, issuer, audience, claims, jwks, privilege, operations, flow_name } = rule
  const issuer_kind = findKind(rule) ?? null
  return { description, issuer, issuer_kind, audience, claims, jwks, privilege, operations, flow_name }
}
