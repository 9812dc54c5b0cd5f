// GET /deployments/{org}/{env_name}/{fingerprint}: the deployments of one artifact to an environment, newest first.
import { notFound } from '../../lib/errors.ts'
import { requireEnvironment } from '../environments/problems.ts'
import { Answer, defineOperation } from '../operation.ts'
import { ambiguousFingerprint } from '../shared/fingerprints.ts'
import { listPhysicalEnvironments } from '../shared/members-store.ts'
import { buildPageHeaders, PAGE_HEADERS, toSlice } from '../shared/page.ts'
import { listArtifactDeployments } from './store.ts'
import { ArtifactDeploymentsQuery, DeploymentList, DeploymentPath, MAX_OF_ARTIFACT, toWire } from './wire.ts'

export const getDeploymentsOfArtifact = defineOperation(
  {
    id: 'getDeploymentsOfArtifact',
    method: 'GET',
    path: '/deployments/{org}/{env_name}/{fingerprint}',
    tag: 'Deployments',
    summary: 'Get the deployments of an artifact to an environment',
    description:
      'Give 5 to 64 characters of the fingerprint. Newest first. Headers contain the total count and the links to ' +
      'other pages.',
    access: 'reader',
    audit: 'none: reads',
    params: DeploymentPath,
    query: ArtifactDeploymentsQuery,
    returns: DeploymentList,
    fails: [400, 403, 404],
    answer_headers: PAGE_HEADERS,
    example: { params: { fingerprint: 'bbbbbbbb' } },
  },
  ({ params, query, org, url }, { db, base_url }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { env_name, fingerprint: prefix } = params
      const environment = await requireEnvironment(tx, org, env_name, query.archived)
      const sources = await listPhysicalEnvironments(tx, org.org_id, environment)
      const environment_ids = sources.map(({ environment_id }) => environment_id)
      const page = { page: query.page ?? 1, per_page: query.per_page ?? MAX_OF_ARTIFACT }
      const filter = { prefix, environment_ids }
      const found = await listArtifactDeployments(tx, org.org_id, filter, toSlice(page))
      if (found.artifacts > 1) throw ambiguousFingerprint(prefix, found.artifacts)
      if (found.artifacts === 0) {
        throw notFound(
          `Artifact with fingerprint '${prefix}' has not been deployed to environment '${env_name}'`,
        )
      }
      const site = { base_url, org: org.name }
      const deployments = found.rows.map(row => toWire(row, site))
      return new Answer(200, deployments, buildPageHeaders(url, query, page, found.total))
    }),
)
