// GET /mail-domains/{org}: the mail domains that the organization claims, and which of them it has proved.
import { defineOperation } from '../operation.ts'
import { listDomains } from './store.ts'
import { MailDomainList, MailDomainsPath, toWire } from './wire.ts'

export const listMailDomains = defineOperation(
  {
    id: 'listMailDomains',
    method: 'GET',
    path: '/mail-domains/{org}',
    tag: 'Mail domains',
    summary: 'List the mail domains of an organization',
    description: 'Sorted by name, each with the DNS record that proves it.',
    access: 'admin',
    auditors: true,
    audit: 'none: reads',
    reads: 'replica',
    params: MailDomainsPath,
    returns: MailDomainList,
    fails: [403],
  },
  async ({ org }, { db }) => (await listDomains(db, org.org_id)).map(toWire),
)
