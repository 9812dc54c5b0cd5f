// API schemas of mail domains: the DNS record to create, and whether it was found.
import { type Static, Type } from 'typebox'
import {
  buildRecordName,
  buildRecordValue,
  DOMAIN_PROBLEMS,
  type DomainProblem,
} from '../../domain/mail-domain.ts'
import { CreatedAt, CreatedBy, OrgName } from '../shared/fields.ts'
import { about, Closed, Nullable, OneOf, Time, toEpoch, toEpochOrNull } from '../shared/wire.ts'
import type { MailDomainRow } from './store.ts'

const MAX_DOMAIN = 253
/** At least two labels of letters, digits and hyphens. The last begins with a letter, so that no IP address matches. */
const LABEL = '[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const DOMAIN = `^(${LABEL}\\.)+[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.?$`

export const MailDomainsPath = Closed('MailDomainsPath', { org: OrgName })
export const MailDomainPath = Closed('MailDomainPath', {
  org: OrgName,
  domain: Type.String({ pattern: DOMAIN, maxLength: MAX_DOMAIN, ...about('The mail domain', 'example.com') }),
})

export const MailDomain = Closed('MailDomain', {
  domain: Type.String(about('The mail domain', 'example.com')),
  state: OneOf(
    ['unproved', 'proved', 'failing'],
    about(
      'State of the proof of ownership; `failing` means still proved, although the latest check did not find the record',
      'proved',
    ),
  ),
  record_type: OneOf(['TXT'], about('The type of the DNS record', 'TXT')),
  record_name: Type.String(about('The name of the DNS record', '_waybill-challenge.example.com')),
  record_value: Type.String(
    about('The value that the DNS record must have', 'waybill-domain=0196f1c27a3b7c4d8e5f1a2b3c4d'),
  ),
  problem: Nullable(Type.String({ description: 'Reason why the latest check did not find the record' }), {
    examples: [null],
  }),
  created_by: CreatedBy,
  created_at: CreatedAt,
  checked_at: Nullable(Time('Time of the last DNS check; null before the first')),
  proved_at: Nullable(Time('Time since which ownership is proved; null if it is not')),
})

export const MailDomainList = Type.Array(MailDomain, { title: 'MailDomainList' })

export function toWire(row: MailDomainRow): Static<typeof MailDomain> {
  return {
    domain: row.domain,
    state: computeState(row),
    record_type: 'TXT',
    record_name: buildRecordName(row.domain),
    record_value: buildRecordValue(row.challenge),
    problem: row.problem === null ? null : DOMAIN_PROBLEMS[row.problem as DomainProblem],
    created_by: row.created_by,
    created_at: toEpoch(row.created_at),
    checked_at: toEpochOrNull(row.checked_at),
    proved_at: toEpochOrNull(row.proved_at),
  }
}

function computeState({ proved_at, problem }: MailDomainRow): 'unproved' | 'proved' | 'failing' {
  if (proved_at === null) return 'unproved'
  return problem === null ? 'proved' : 'failing'
}
