// The setup of the demo company and its later changes: policies, types, keys, notifications and retired items.
import { createHash } from 'node:crypto'
import { type Call, DAY, HOUR, makeCalls, ORG, PIPELINE, WEEK } from './call.ts'
import * as company from './company.ts'
import { buildOverride } from './evidence.ts'
import type { Release } from './release.ts'

export function buildFirstSetUp(start: number): Call[] {
  const mara = (later: number) => makeCalls('mara', start + later)
  const { RETIRED } = company
  return [
    mara(0).post(`/custom-attestation-types/${ORG}`, company.FIRST_LOAD_TEST),
    ...[...company.SERVICES, RETIRED.service].flatMap((service, i) => [
      {
        ...mara(i).put(`/flows/${ORG}/template_file`, {
          name: service.name,
          description: service.description,
        }),
        file: { part: 'template_file', name: 'template.yml', content: company.getTemplate(service) },
      },
      mara(i).patch(`/tags/${ORG}/flow/${service.name}`, {
        set_tags: { risk: service.risk, team: 'payments' },
      }),
    ]),
    ...[...company.ENVIRONMENTS, RETIRED.environment].map(each => mara(10).put(`/environments/${ORG}`, each)),
    ...company.LIVE.map(physical_env_name =>
      mara(20).put(`/environments/${ORG}/all-live/join`, { physical_env_name }),
    ),
    ...[...company.CONTROLS, RETIRED.control].flatMap(({ tags, ...control }) => [
      mara(30).post(`/controls/${ORG}`, control),
      mara(31).patch(`/tags/${ORG}/control/${control.identifier}`, { set_tags: tags }),
    ]),
    mara(40).put(`/policies/${ORG}/live-rules`, buildPolicy(company.FIRST_LIVE_RULES, 'First version')),
    mara(40).put(
      `/policies/${ORG}/staging-rules`,
      buildPolicy(company.STAGING_RULES, 'Less strict than the live rules'),
    ),
    mara(50).post(`/environments/${ORG}/staging/policies`, { policy_names: ['staging-rules'] }),
    ...['production', 'edge'].map(name =>
      mara(50).post(`/environments/${ORG}/${name}/policies`, { policy_names: ['live-rules'] }),
    ),
  ]
}

const buildPolicy = (policy_yaml: string, comment: string) => ({ policy_yaml, comment, description: comment })

/** In week 9 high-risk services must have scans and release decisions; in week 12 the load test gets stricter. */
export function buildRuleChanges(start: number): Call[] {
  const comment = 'Require scans and release decisions for high-risk services'
  return [
    makeCalls('mara', start + 9 * WEEK + 10 * HOUR).put(
      `/policies/${ORG}/live-rules`,
      buildPolicy(company.LIVE_RULES, comment),
    ),
    makeCalls('priya', start + 12 * WEEK + 9 * HOUR).post(
      `/custom-attestation-types/${ORG}`,
      company.LATER_LOAD_TEST,
    ),
  ]
}

export function buildRetirements(start: number): Call[] {
  const { control, service, environment } = company.RETIRED
  return [
    makeCalls('mara', start + 5 * WEEK).post(`/controls/${ORG}/${control.identifier}/archive`),
    makeCalls('teo', start + 14 * WEEK).put(`/flows/${ORG}/${service.name}/archive`),
    makeCalls('teo', start + 14 * WEEK + HOUR).put(`/environments/${ORG}/${environment.name}/archive`),
  ]
}

/** From now on the old machine should report daily, but it never does: this is the stale environment. */
export function buildReportInterval(end: number): Call {
  const body = { expected_report_interval: DAY }
  return makeCalls('mara', end - 6 * DAY + HOUR).patch(`/environments/${ORG}/archive-host`, body)
}

/** A key that expires nine days after the end. The pipeline uses it from its creation on. */
export function buildPipelineKey(end: number): Call {
  const body = {
    description: 'Build server, rotated every quarter',
    expires_at: end + 9 * DAY,
    operations: ['read', 'report', 'attest'],
  }
  return {
    ...makeCalls('mara', end - 90 * DAY).post(`/service-accounts/${ORG}/${PIPELINE}/api-keys`, body),
    hands_key_to: PIPELINE,
  }
}

/** The owner of the pipeline's service account, and a mail domain that is not verified yet. */
export function buildOwnership(end: number): Call[] {
  const mara = makeCalls('mara', end - 20 * DAY)
  return [
    mara.patch(`/service-accounts/${ORG}/${PIPELINE}`, { owner: 'priya' }),
    mara.put(`/mail-domains/${ORG}/${company.MAIL_DOMAIN}`),
  ]
}

/** Since yesterday a second person must confirm every override, and one override is waiting for confirmation. */
export function buildPendingOverride(end: number, releases: readonly Release[]): Call[] {
  const rejected = releases.findLast(
    ({ service, findings }) => service.name === 'fraud-scoring' && findings.high > 0,
  )
  if (!rejected) return []
  const excused = 'Both findings are in the test runner, which is not part of the image.'
  const path = `/attestations/${ORG}/${rejected.service.name}/trail/${rejected.trail}/override`
  return [
    makeCalls('mara', end - DAY).patch(`/organizations/${ORG}`, {
      settings: { two_person_decisions: ['override'] },
    }),
    makeCalls('jonas', end - 3 * HOUR).post(path, buildOverride({ ...rejected, excused })),
  ]
}

/** Created near the end, so that only a few notifications are sent once the demo is ready. */
export function buildNotifications(end: number): Call[] {
  const buildNotification = (name: string, environments: string[], triggers: string[], target: object) =>
    makeCalls('mara', end - 4 * DAY).put(`/organizations/${ORG}/environments_notifications`, {
      name,
      type: 'env',
      environments,
      triggers,
      targets: [target],
    })
  const secret = `whsec_${createHash('sha256').update('the risk desk').digest('base64')}`
  return [
    buildNotification(
      'Live compliance changes',
      ['production', 'edge'],
      ['ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'],
      {
        type: 'EMAIL',
        emails: [company.toMailAddress('on-call')],
      },
    ),
    buildNotification('Deployments to production', ['production'], ['ON_STARTED_ARTIFACT'], {
      type: 'CHAT',
      webhook: 'https://chat.harbour-bank.example/hooks/deployments',
    }),
    buildNotification('Risk desk', ['all-live'], ['ON_NON_COMPLIANT_ENV', 'ON_ALLOWED_ARTIFACT'], {
      type: 'WEBHOOK',
      webhook: 'https://hooks.harbour-bank.example/risk-desk',
      payload_version: '1.0',
      secret,
    }),
  ]
}
