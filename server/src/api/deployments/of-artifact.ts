// GET /deployments/{org}/{env_name}/{fingerprint}: when an artifact started to run in an environment, newest first.
import { notFound } from '../../lib/errors.ts'
import { requireEnvironment } from '../environments/problems.ts'
import { operation } from '../operation.ts'
import { ambiguousFingerprint } from '../shared/fingerprints.ts'
import { physicalEnvironments } from '../shared/members-store.ts'
import { deploymentsOfArtifact } from './store.ts'
import { DeploymentList, DeploymentPath, toWire } from './wire.ts'

export const getDeploymentsOfArtifact = operation(
  {
    id: 'getDeploymentsOfArtifact',
    method: 'GET',
    path: '/deployments/{org}/{env_name}/{fingerprint}',
    tag: 'Deployments',
    summary: 'Get the deployments of an artifact to an environment',
    description: 'By 5 to 64 characters of its fingerprint; newest first',
    access: 'reader',
    audit: 'none: reads',
    params: DeploymentPath,
    returns: DeploymentList,
    fails: [400, 403, 404],
    example: { params: { fingerprint: 'bbbbbbbb' } },
  },
  ({ params, org }, { db, base_url }) =>
    db.inTransaction({ org_id: org.org_id }, async tx => {
      const { env_name, fingerprint: prefix } = params
      const environment = await requireEnvironment(tx, org, env_name)
      const sources = await physicalEnvironments(tx, org.org_id, environment)
      const environment_ids = sources.map(({ environment_id }) => environment_id)
      const rows = await deploymentsOfArtifact(tx, org.org_id, { prefix, environment_ids })
      const different = new Set(rows.map(row => row.fingerprint)).size
      if (different > 1) throw ambiguousFingerprint(prefix, different)
      if (different === 0) {
        throw notFound(
          `Artifact with fingerprint '${prefix}' has not been deployed to environment '${env_name}'`,
        )
      }
      const site = { base_url, org: org.name }
      return rows.map(row => toWire(row, site))
    }),
)
