// The organization settings: the first one, who may create more, and the quotas of those without their own.
import type { OrgCreation, OrgLimit } from '../domain/org-creation.ts'
import type { Quotas } from '../domain/quotas.ts'
import { readCommaList, readLimit, readOneOf } from './readers.ts'
import { defineSetting, type Environment, makeReader, SettingProblem, type Settings } from './setting.ts'

export const ORG_SETTINGS = {
  WAYBILL_ORG: defineSetting({
    meaning: 'name of the shared organization created at the first start',
    default: 'demo-org',
    example: 'acme',
    parse: readOrgName,
  }),
  WAYBILL_ORG_CREATION: defineSetting({
    meaning:
      'who may create shared organizations with `POST /organizations`: `anyone`, `admins` (admins of a shared organization) or `nobody` (only the admin program). Personal organizations are not affected',
    default: 'anyone',
    example: 'admins',
    parse: readOneOf('anyone', 'admins', 'nobody'),
  }),
  WAYBILL_ORGS_PER_PERSON: defineSetting({
    meaning:
      'how many shared organizations one person may open with `POST /organizations`; deleted ones count until `admin org purge` removes them; `off` for no limit. What the admin program creates does not count',
    default: '5',
    example: '20',
    parse: readLimit,
  }),
  WAYBILL_ORG_OPENERS: defineSetting({
    meaning: 'names of users who may open more than that, separated by commas',
    default: '',
    example: 'ada,bob',
    parse: readCommaList,
  }),
  WAYBILL_ORG_REQUESTS_PER_SECOND: defineSetting({
    meaning:
      '[quota](scale.md#quotas) of an organization: requests per second of all its keys together, for each process',
    default: 'off',
    example: '50',
    parse: readLimit,
  }),
  WAYBILL_ORG_EVIDENCE_BYTES: defineSetting({
    meaning: '[quota](scale.md#quotas) of an organization: bytes of evidence stored',
    default: 'off',
    example: '100000000000',
    parse: readLimit,
  }),
  WAYBILL_ORG_JQ_SECONDS_PER_HOUR: defineSetting({
    meaning:
      '[quota](scale.md#quotas) of an organization: processor time of jq programs and schemas per hour, for each process',
    default: 'off',
    example: '600',
    parse: readLimit,
  }),
} satisfies Settings

export interface OrgConfig {
  first_org: string
  org_creation: OrgCreation
  org_limit: OrgLimit
  /** Quotas of organizations without their own. */
  quotas: Quotas
}

export function readOrgConfig(environment: Environment): OrgConfig {
  const read = makeReader(ORG_SETTINGS, environment)
  return {
    first_org: read('WAYBILL_ORG'),
    org_creation: read('WAYBILL_ORG_CREATION'),
    org_limit: { orgs_per_person: read('WAYBILL_ORGS_PER_PERSON'), org_openers: read('WAYBILL_ORG_OPENERS') },
    quotas: {
      requests_per_second: read('WAYBILL_ORG_REQUESTS_PER_SECOND'),
      evidence_bytes: read('WAYBILL_ORG_EVIDENCE_BYTES'),
      jq_seconds_per_hour: read('WAYBILL_ORG_JQ_SECONDS_PER_HOUR'),
    },
  }
}

function readOrgName(value: string, name: string): string {
  if (/^[a-zA-Z0-9][a-zA-Z0-9\-_.]*$/.test(value)) return value
  throw new SettingProblem(`${name} must be letters, digits, hyphens, dots or underscores`)
}
