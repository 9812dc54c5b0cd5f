// How the company is set up and what it changes about that: rules, types, keys, who is told of what, and what it gave up.
import { createHash } from 'node:crypto'
import { type Call, DAY, HOUR, makeCalls, ORG, PIPELINE, WEEK } from './call.ts'
import * as company from './company.ts'
import { buildOverride } from './evidence.ts'
import type { Release } from './release.ts'

export function beginning(start: number): Call[] {
  const mara = (later: number) => makeCalls('mara', start + later)
  const { RETIRED } = company
  return [
    mara(0).post(`/custom-attestation-types/${ORG}`, company.LOAD_TEST_AT_FIRST),
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
    mara(40).put(`/policies/${ORG}/live-rules`, rules(company.LIVE_RULES_AT_FIRST, 'The first rules')),
    mara(40).put(`/policies/${ORG}/staging-rules`, rules(company.STAGING_RULES, 'Less than live')),
    mara(50).post(`/environments/${ORG}/staging/policies`, { policy_names: ['staging-rules'] }),
    ...['production', 'edge'].map(name =>
      mara(50).post(`/environments/${ORG}/${name}/policies`, { policy_names: ['live-rules'] }),
    ),
  ]
}

const rules = (policy_yaml: string, comment: string) => ({ policy_yaml, comment, description: comment })

/** In the ninth week scans and decisions are demanded of what moves money, in the twelfth more speed. */
export function changesOfRules(start: number): Call[] {
  const comment = 'Scans and release decisions for services of high risk'
  return [
    makeCalls('mara', start + 9 * WEEK + 10 * HOUR).put(
      `/policies/${ORG}/live-rules`,
      rules(company.LIVE_RULES, comment),
    ),
    makeCalls('priya', start + 12 * WEEK + 9 * HOUR).post(
      `/custom-attestation-types/${ORG}`,
      company.LOAD_TEST_LATER,
    ),
  ]
}

export function retirements(start: number): Call[] {
  const { control, service, environment } = company.RETIRED
  return [
    makeCalls('mara', start + 5 * WEEK).post(`/controls/${ORG}/${control.identifier}/archive`),
    makeCalls('teo', start + 14 * WEEK).put(`/flows/${ORG}/${service.name}/archive`),
    makeCalls('teo', start + 14 * WEEK + HOUR).put(`/environments/${ORG}/${environment.name}/archive`),
  ]
}

/** The old machine shall report every day from now on, and never does again: it is the one that is stale. */
export function newRhythm(end: number): Call {
  const body = { expected_report_interval: DAY }
  return makeCalls('mara', end - 6 * DAY + HOUR).patch(`/environments/${ORG}/archive-host`, body)
}

/** A key that ends nine days after the story. The pipeline has called with it since it was made. */
export function newKey(end: number): Call {
  const body = {
    description: 'Build server, new each quarter',
    expires_at: end + 9 * DAY,
    operations: ['read', 'report', 'attest'],
  }
  return {
    ...makeCalls('mara', end - 90 * DAY).post(`/service-accounts/${ORG}/${PIPELINE}/api-keys`, body),
    hands_key_to: PIPELINE,
  }
}

/** Who answers for the pipeline, and the mail domain that the company has yet to prove. */
export function whoBelongs(end: number): Call[] {
  const mara = makeCalls('mara', end - 20 * DAY)
  return [
    mara.patch(`/service-accounts/${ORG}/${PIPELINE}`, { owner: 'priya' }),
    mara.put(`/mail-domains/${ORG}/${company.MAIL_DOMAIN}`),
  ]
}

/** Since yesterday a second person confirms every override, and the first one waits for that. */
export function decisionsOfTwo(end: number, releases: readonly Release[]): Call[] {
  const refused = releases.findLast(
    ({ service, findings }) => service.name === 'fraud-scoring' && findings.high > 0,
  )
  if (!refused) return []
  const excused = 'Both findings are in the test runner, which is not part of the image.'
  const path = `/attestations/${ORG}/${refused.service.name}/trail/${refused.trail}/override`
  return [
    makeCalls('mara', end - DAY).patch(`/organizations/${ORG}`, {
      settings: { two_person_decisions: ['override'] },
    }),
    makeCalls('jonas', end - 3 * HOUR).post(path, buildOverride({ ...refused, excused })),
  ]
}

/** Made so late that there is little to tell: whoever is told hears of it when the demo is there. */
export function whoIsTold(end: number): Call[] {
  const tell = (name: string, environments: string[], triggers: string[], target: object) =>
    makeCalls('mara', end - 4 * DAY).put(`/organizations/${ORG}/environments_notifications`, {
      name,
      type: 'env',
      environments,
      triggers,
      targets: [target],
    })
  const secret = `whsec_${createHash('sha256').update('the risk desk').digest('base64')}`
  return [
    tell('Live turns red', ['production', 'edge'], ['ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'], {
      type: 'EMAIL',
      emails: [company.toMailAddress('on-call')],
    }),
    tell('Deployments to production', ['production'], ['ON_STARTED_ARTIFACT'], {
      type: 'CHAT',
      webhook: 'https://chat.harbour-bank.example/hooks/deployments',
    }),
    tell('The risk desk', ['all-live'], ['ON_NON_COMPLIANT_ENV', 'ON_ALLOWED_ARTIFACT'], {
      type: 'WEBHOOK',
      webhook: 'https://hooks.harbour-bank.example/risk-desk',
      payload_version: '1.0',
      secret,
    }),
  ]
}
