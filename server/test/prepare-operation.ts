// Creates the resources that each operation needs, so its example succeeds and a rejection is never a missing
// resource.
import type { Contract } from '../src/api/operation.ts'
import { findBadgeFor, prepareBadge } from './badges.ts'
import { prepareSession } from './browser.ts'
import { prepareTrustRule } from './ci-issuer.ts'
import { prepareControl, readControlParams } from './controls.ts'
import { prepareDecision, readDecisionParams } from './decisions.ts'
import { prepareDelivery } from './deliveries.ts'
import { fillApproval } from './filled-org.ts'
import { makeFile, ORG, type TestApp } from './harness.ts'
import { findNotificationFor, prepareNotification } from './notification-targets.ts'
import { findInvitationFor, preparePeople } from './people.ts'
import { findScimTokenFor, prepareScimToken } from './scim.ts'
import { findKeysFor, prepareKeys } from './service-accounts.ts'

/** Part of every stored text. */
export const CANARY = 'canary-7f3a-only-acme-may-see-this'

/** Operations on something in a flow. */
const WITH_A_BUILD = /\{(flow_name|resource_id|attestation_id|repo_id)\}| getControlDecision$/

/** Creates everything that the operation needs. */
export async function prepareFor(contract: Contract, where: TestApp): Promise<void> {
  await preparePeople(contract, where)
  if (WITH_A_BUILD.test(`${contract.path} ${contract.id}`)) await prepareBuild(contract, where)
  if (contract.path.includes('{attestation_id}')) await attach(contract, where)
  if (contract.path.includes('{env_name}')) await prepareEnvironment(contract, where)
  await preparePolicies(contract, where)
  // Creates the log's key.
  if (contract.tag === 'Log') await where.reader.get(`/log/${ORG}/checkpoint`)
  if (contract.audit === 'none: computes') await prepareToTry(where)
  await prepareRunning(contract, where)
  if (contract.path.includes('{event_id}')) await findEvent(where)
  if (contract.path.includes('{repo_id}')) await findRepo(where)
  await prepareSession(contract, where)
  await prepareTrustRule(contract, where, CANARY)
  await prepareKeys(contract, where, CANARY)
  await prepareScimToken(contract, where, CANARY)
  await prepareBadge(contract, where, CANARY)
  await prepareDecision(contract, where)
  await prepareNotification(contract, where, CANARY)
  await prepareDelivery(contract, where)
  await prepareControl(contract, where, CANARY)
  const type = findTypeFor(contract)
  if (type) await where.admin.post(`/custom-attestation-types/${ORG}`, { name: type, description: CANARY })
  const path = buildPathFor(contract, ORG, where)
  if (contract.method === 'PUT' && path.endsWith('/unarchive'))
    await where.admin.put(path.replace(/unarchive$/, 'archive'))
}

/** Creates a flow with a trail and an artifact. */
async function prepareBuild(contract: Contract, where: TestApp): Promise<void> {
  const flow = nameFlowFor(contract)
  await where.admin.put(`/flows/${ORG}`, { name: flow, description: CANARY })
  await where.admin.put(`/trails/${ORG}/${flow}`, {
    name: 'trail',
    description: CANARY,
    git_commit_info: { sha1: '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1', branch: 'main' },
    repo_info: {
      id: '311',
      name: 'acme/backend',
      url: 'https://git.example.com/backend',
      provider: 'github',
    },
  })
  await where.admin.post(`/artifacts/${ORG}/${flow}`, {
    fingerprint: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
    filename: CANARY,
    git_commit: '4f2c1d0b9a8e7f6d5c4b3a291807f6e5d4c3b2a1',
    build_url: 'https://ci.example.com/builds/1',
    commit_url: 'https://git.example.com/commit/1',
    trail_name: 'trail',
    template_reference_name: 'backend',
  })
  if (contract.id === 'getApproval') {
    await fillApproval(
      where.admin,
      ORG,
      flow,
      'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
    )
  }
}

/** Creates an environment of the type that the operation needs, and a member for a logical one to join. */
async function prepareEnvironment(contract: Contract, where: TestApp): Promise<void> {
  const joins = contract.path.endsWith('/join')
  const type = joins ? 'logical' : (/\/report\/([^/]+)$/.exec(contract.path)?.[1] ?? 'K8S')
  const environment = { name: nameEnvironmentFor(contract), type, description: CANARY }
  await where.admin.put(`/environments/${ORG}`, environment)
  if (joins) {
    await where.admin.put(`/environments/${ORG}`, { ...environment, name: 'production', type: 'K8S' })
  }
}

const WITH_SNAPSHOTS = new Set([
  'getSnapshot',
  'getSnapshotPackage',
  'listSnapshotArtifacts',
  'listSnapshots',
  'diffSnapshots',
  'listEnvironmentEvents',
  'getEnvironmentAuditLog',
  'listDeploymentsOfEnvironment',
  'getDeploymentFrequency',
  'getDeploymentsOfArtifact',
])

/** Reports twice where snapshots are needed, so that two of them can be compared. */
async function prepareRunning({ id, ...contract }: Contract, where: TestApp): Promise<void> {
  if (!WITH_SNAPSHOTS.has(id)) return
  const name = id === 'diffSnapshots' ? 'prod' : nameEnvironmentFor({ id, ...contract })
  await where.admin.put(`/environments/${ORG}`, { name, type: 'K8S', description: CANARY })
  for (const digit of ['b', 'c']) {
    const pod = {
      podName: CANARY,
      namespace: 'n',
      creationTimestamp: 1,
      digests: { [CANARY]: digit.repeat(64) },
    }
    await where.admin.put(`/environments/${ORG}/${name}/report/K8S`, { artifacts: [pod] })
  }
}

/** Creates the policies and allow-list entries that the operation reads, changes or removes. */
async function preparePolicies({ id, example, ...contract }: Contract, where: TestApp): Promise<void> {
  const environment = nameEnvironmentFor({ id, ...contract })
  const policy_yaml = '_schema: https://waybill.example/v1\n'
  const policy = {
    getPolicy: example?.params?.name,
    getPolicyVersion: example?.params?.name,
    archivePolicy: example?.params?.name,
    unarchivePolicy: example?.params?.name,
    tryPolicy: example?.params?.name,
    attachPolicies: 'policy-to-attach',
    detachPolicies: 'policy-to-detach',
  }[id]
  if (policy) await where.admin.put(`/policies/${ORG}/${policy}`, { policy_yaml, description: CANARY })
  if (id === 'detachPolicies') {
    await where.admin.post(`/environments/${ORG}/${environment}/policies`, { policy_names: [policy] })
  }
  if (id === 'getAllowList' || id === 'deleteAllowListEntry') {
    const artifact_fingerprint = example?.params?.fingerprint ?? 'c'.repeat(64)
    const entry = { artifact_fingerprint, artifact_name: CANARY, description: CANARY }
    await where.admin.put(`/allowlists/${ORG}/${environment}`, entry)
  }
}

/** Creates an environment with a running artifact to try a policy on. */
async function prepareToTry(where: TestApp): Promise<void> {
  const environment = { name: 'environment-to-try', type: 'server', description: CANARY }
  await where.admin.put(`/environments/${ORG}`, environment)
  const artifacts = [{ digests: { [CANARY]: 'c'.repeat(64) }, creationTimestamp: 1_772_539_200 }]
  await where.admin.put(`/environments/${ORG}/environment-to-try/report/server`, { artifacts })
}

/** Ids of attestations, by operation. */
const attached = new WeakMap<TestApp, Map<string, string>>()

/** Reports an attestation with evidence, and records its id. */
async function attach(contract: Contract, where: TestApp): Promise<void> {
  const flow = nameFlowFor(contract)
  const data_json = JSON.stringify({ attestation_name: 'attached', is_compliant: true, description: CANARY })
  const parts = { data_json, attachment_file: makeFile(CANARY) }
  await where.admin.form('POST', `/attestations/${ORG}/${flow}/trail/trail/generic`, parts)
  const { body } = await where.admin.get(`/attestations/${ORG}/${flow}/trail/trail/attached`)
  const known = attached.get(where) ?? new Map<string, string>()
  attached.set(where, known.set(contract.id, body[0].attestation_id))
}

function findTypeFor({ id, path, example }: Contract): string | undefined {
  if (id === 'reportCustomAttestation') return 'coverage-metrics'
  return path.startsWith('/custom-attestation-types/') ? example?.params?.name : undefined
}

function nameFlowFor(contract: Contract): string {
  return `flow-for-${contract.id}`
}

/** An event of the organization, for operations on an event. */
const recorded = new WeakMap<TestApp, string>()

async function findEvent(where: TestApp): Promise<void> {
  const { body } = await where.admin.get(`/audit-events/${ORG}?per_page=1`)
  recorded.set(where, body.events[0].id)
}

/** The repository of the builds, for operations on one by its id. */
const repos = new WeakMap<TestApp, string>()

async function findRepo(where: TestApp): Promise<void> {
  const { body } = await where.admin.get(`/repos/${ORG}?name=acme/backend`)
  repos.set(where, body.repos[0].id)
}

function nameEnvironmentFor(contract: Contract): string {
  return `environment-for-${contract.id}`
}

export function buildPathFor(contract: Contract, org: string, where: TestApp, client = where.admin): string {
  const values: Record<string, string> = {
    org,
    flow_name: nameFlowFor(contract),
    trail_name: 'trail',
    env_name: nameEnvironmentFor(contract),
    resource_id: nameFlowFor(contract),
    attestation_id: attached.get(where)?.get(contract.id) ?? '',
    event_id: recorded.get(where) ?? '',
    repo_id: repos.get(where) ?? '',
    ...findKeysFor(contract, where, client),
    ...findScimTokenFor(contract, where),
    ...findBadgeFor(contract, where),
    ...findInvitationFor(contract, where),
    ...findNotificationFor(contract, where),
    ...readControlParams(where),
    ...readDecisionParams(contract, where),
    ...contract.example?.params,
  }
  return contract.path.replaceAll(
    /\{(\w+)\+?\}/g,
    (_, name: string) => values[name] ?? `no-value-for-${name}`,
  )
}
