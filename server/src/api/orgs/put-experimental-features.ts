// PUT /organizations/{org}/experimental_features: a switch that existing clients set. Nothing depends on it yet.
import { defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { changeOrg } from './change.ts'
import { EXPERIMENTAL, ExperimentalFeatures, Org, toWire } from './wire.ts'

export const putExperimentalFeatures = defineOperation(
  {
    id: 'putExperimentalFeatures',
    method: 'PUT',
    path: '/organizations/{org}/experimental_features',
    tag: 'Organizations',
    summary: 'Switch experimental features on or off',
    description: 'Stored and returned with the organization. It has no effect yet.',
    access: 'admin',
    recheck_caller: true,
    audit: 'org_changed',
    params: OrgPath,
    body: ExperimentalFeatures,
    returns: Org,
    fails: [400, 403],
    example: { body: { experimental_features_enabled: true } },
  },
  async (request, deps) => {
    const { experimental_features_enabled } = request.body
    const after = await changeOrg(request, deps, before => ({
      ...before,
      features: { ...before.features, [EXPERIMENTAL]: experimental_features_enabled },
    }))
    return toWire(after)
  },
)
