// DELETE /mail-domains/{org}/{domain}: releases a mail domain. People provisioned through it stay members.
import { normalizeDomain } from '../../domain/mail-domain.ts'
import { recordEvent } from '../../events/record.ts'
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { noSuchDomain } from './problems.ts'
import * as store from './store.ts'
import { MailDomainPath } from './wire.ts'

export const deleteMailDomain = defineOperation(
  {
    id: 'deleteMailDomain',
    method: 'DELETE',
    path: '/mail-domains/{org}/{domain}',
    tag: 'Mail domains',
    summary: 'Release a mail domain',
    description: 'Members stay. From now on, SCIM provisioning invites people with addresses in this domain.',
    access: 'admin',
    recheck_caller: true,
    audit: 'mail_domain_released',
    params: MailDomainPath,
    returns: Ok,
    fails: [400, 403, 404],
    example: { params: { domain: 'example.net' } },
  },
  (request, { db, ids }) => {
    const { params, org } = request
    const domain = normalizeDomain(params.domain)
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      if (!(await store.deleteMailDomain(tx, org.org_id, domain))) throw noSuchDomain(domain)
      await recordEvent(tx, request, ids, { kind: 'mail_domain_released', data: { domain } })
      return OK
    })
  },
)
