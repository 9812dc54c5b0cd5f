// From what an admin sent to what a rule says: with the defaults filled in and the flow under its present name.
import type { Db } from '../../db/database.ts'
import { foundFlow } from '../flows/problems.ts'
import { findFlow } from '../flows/store.ts'
import type { CallerOrg } from '../operation.ts'
import type { RuleContent } from './store.ts'
import type { TrustRulePut } from './wire.ts'

export async function contentOf(
  tx: Db,
  org: CallerOrg,
  body: TrustRulePut,
  base_url: string,
): Promise<RuleContent> {
  const { description, issuer, audience, claims, privilege, flow_name } = body
  return {
    description: description ?? '',
    issuer,
    audience: audience ?? `${base_url}/${org.name}`,
    claims,
    privilege,
    flow_name: typeof flow_name === 'string' ? await presentName(tx, org, flow_name) : null,
  }
}

async function presentName(tx: Db, org: CallerOrg, flow_name: string): Promise<string> {
  return foundFlow(await findFlow(tx, org.org_id, flow_name), org.name, flow_name).name
}

/** As events tell it. */
export function told({
  description,
  issuer,
  audience,
  claims,
  privilege,
  flow_name,
}: RuleContent): RuleContent {
  return { description, issuer, audience, claims, privilege, flow_name }
}
