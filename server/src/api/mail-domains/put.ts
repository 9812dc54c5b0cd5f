// PUT /mail-domains/{org}/{domain}: claims a mail domain. A claim has no effect until DNS proves it.
import { normalizeDomain } from '../../domain/mail-domain.ts'
import { recordEvent } from '../../events/record.ts'
import { badRequest, conflict } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { Answer, defineOperation } from '../operation.ts'
import { lockMembers } from '../shared/membership-store.ts'
import * as store from './store.ts'
import { MailDomain, MailDomainPath, toWire } from './wire.ts'

const MAX_DOMAINS = 100

export const putMailDomain = defineOperation(
  {
    id: 'putMailDomain',
    method: 'PUT',
    path: '/mail-domains/{org}/{domain}',
    tag: 'Mail domains',
    summary: 'Claim a mail domain',
    description:
      'Returns the DNS record to create. Once the record exists, check the domain. From then on, SCIM provisioning ' +
      'makes people with addresses in this domain members at once; everyone else is invited. An organization can ' +
      `have at most ${MAX_DOMAINS} domains.`,
    access: 'admin',
    recheck_caller: true,
    audit: 'mail_domain_claimed',
    params: MailDomainPath,
    returns: MailDomain,
    creates: true,
    fails: [400, 403, 409],
    example: { params: { domain: 'example.org' } },
  },
  (request, { db, ids }) => {
    const { params, org, caller, now } = request
    const { org_id } = org
    const domain = normalizeDomain(params.domain)
    return db.withTransaction({ org_id }, async tx => {
      // Locked, so that concurrent requests cannot exceed the limit.
      const locked = await lockMembers(tx, org_id)
      if (locked?.kind === 'personal') throw badRequest('A personal organization cannot claim mail domains')
      const known = await store.lockMailDomain(tx, org_id, domain)
      if (known) return toWire(known)
      const challenge = toWireId(ids.next())
      const claim = { domain, challenge, created_by: caller.name, now, max_domains: MAX_DOMAINS }
      if (!(await store.insertMailDomain(tx, org_id, claim))) {
        throw conflict(`The organization already has ${MAX_DOMAINS} mail domains; delete one first`)
      }
      await recordEvent(tx, request, ids, { kind: 'mail_domain_claimed', data: { domain } })
      const created = await store.lockMailDomain(tx, org_id, domain)
      if (!created) throw conflict('Another request changed this mail domain at the same time; try again')
      return new Answer(201, toWire(created))
    })
  },
)
