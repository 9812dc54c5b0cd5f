// An organization with something in every kind of audit package, and how an auditor verifies the packages.
import { type Policy, parseVerifierKey } from '@waybill/transparency-log'
import { describeRecord } from '../src/events/describe-record.ts'
import type { PackageParts } from '../src/verifier/package.ts'
import { addControl, buildDecision } from './controls.ts'
import { attach, buildPodReport, buildPolicyRequiring, putPolicy } from './environments.ts'
import { makeFile, type TestApp } from './harness.ts'
import { makeBuild, makeFingerprint, nameTrail } from './reports.ts'

export const FINGERPRINT = makeFingerprint('a')

/** The addresses of packages of what `reportEvidence` reports. */
export const PACKAGE = {
  trail: '/trails/acme/ci/run/audit_package',
  artifact: `/artifacts/acme/ci/fingerprint/${FINGERPRINT}/audit_package`,
  environment: '/environments/acme/prod/audit_package',
  snapshot: '/snapshots/acme/prod/1/audit_package',
  snapshot_with_policy: '/snapshots/acme/stage/1/audit_package',
  control: '/controls/acme/SDLC-1/audit_package',
  organization: '/organizations/acme/audit_package',
} as const

export async function reportEvidence(app: TestApp): Promise<void> {
  const { member, snapshotter } = app
  await addControl(app, 'SDLC-1')
  await member.put('/flows/acme', { name: 'ci', description: '' })
  await member.put('/trails/acme/ci', { name: 'run' })
  await member.post('/attestations/acme/ci/trail/run/system', buildDecision('SDLC-1', true))
  await member.form('POST', '/attestations/acme/ci/trail/run/generic', {
    data_json: JSON.stringify({ attestation_name: 'tests', is_compliant: true }),
    attachment_file: makeFile('all passed'),
  })
  const build = makeBuild(FINGERPRINT, nameTrail('run'))
  await member.post('/attestations/acme/ci/trail/run/generic', {
    attestation_name: 'early',
    target_artifacts: ['image'],
    git_commit_info: { sha1: build.git_commit },
    is_compliant: true,
  })
  await member.post('/artifacts/acme/ci', build)
  await member.post('/attestations/acme/ci/trail/run/generic', {
    attestation_name: 'scan',
    artifact_fingerprint: FINGERPRINT,
    is_compliant: false,
  })
  await member.put('/environments/acme', { name: 'prod', type: 'K8S' })
  await snapshotter.put('/environments/acme/prod/report/K8S', buildPodReport('a'))
  await member.put('/trails/acme/ci', { name: 'other' })
  await member.post('/attestations/acme/ci/trail/other/generic', {
    attestation_name: 'foreign',
    is_compliant: true,
  })
  await member.put('/environments/acme', { name: 'stage', type: 'K8S' })
  await putPolicy(app, 'strict', buildPolicyRequiring('scan'))
  await attach(app, 'stage', 'strict')
  await snapshotter.put('/environments/acme/stage/report/K8S', buildPodReport('a'))
}

export const trustKey = (vkey: string): Policy => ({
  logs: [{ key: parseVerifierKey(vkey), url: undefined }],
  witnesses: [],
  groups: [],
  quorum: 'none',
})

export async function readLogKey({ admin }: TestApp, org = 'acme'): Promise<string> {
  return (await admin.get(`/log/${org}/keys`)).body.keys[0].vkey
}

export const trustLog = (vkey: string): PackageParts => ({ policy: trustKey(vkey), describe: describeRecord })
