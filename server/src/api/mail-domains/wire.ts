// API schemas of mail domains: the DNS record to create, and whether it was found.
import { type Static, Type } from 'typebox'
import {
  buildRecordName,
  buildRecordValue,
  DOMAIN_PROBLEMS,
  type DomainProblem,
} from '../../domain/mail-domain.ts'
import { Closed, EpochSeconds, Nullable, OneOf, toEpoch, toEpochOrNull } from '../shared/wire.ts'
import type { MailDomainRow } from './store.ts'

const MAX_DOMAIN = 253
/** At least two labels of letters, digits and hyphens. The last begins with a letter, so that no IP address matches. */
const LABEL = '[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const DOMAIN = `^(${LABEL}\\.)+[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.?$`

export const MailDomainsPath = Closed('MailDomainsPath', { org: Type.String() })
export const MailDomainPath = Closed('MailDomainPath', {
  org: Type.String(),
  domain: Type.String({ pattern: DOMAIN, maxLength: MAX_DOMAIN }),
})

export const MailDomain = Closed('MailDomain', {
  domain: Type.String(),
  state: OneOf(['unproved', 'proved', 'failing'], {
    description: '`failing` means still proved, although the latest check did not find the record',
  }),
  record_type: OneOf(['TXT']),
  record_name: Type.String({ description: 'The name of the DNS record' }),
  record_value: Type.String({ description: 'The value that the DNS record must have' }),
  problem: Nullable(Type.String({ description: 'Why the latest check did not find the record' })),
  created_by: Type.String(),
  created_at: EpochSeconds,
  checked_at: Nullable(EpochSeconds),
  proved_at: Nullable(EpochSeconds),
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
