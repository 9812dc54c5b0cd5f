import { describe, expect, it } from 'vitest'
import { decideSponsor, listVouchingDomains } from './sponsor.ts'

const ADA = '019cb35a-7c00-7000-8000-000000000001'

describe('the sponsor of a person', () => {
  it.each<[string, string | null, string[], string]>([
    ['a person at a public mail service', 'ada@mail.example', ['acme.example'], `person:${ADA}`],
    ['a person without an address', null, ['acme.example'], `person:${ADA}`],
    ['a colleague', 'Ada@ACME.example', ['acme.example'], 'domain:acme.example'],
    ['a person of a subdomain', 'ada@lab.acme.example', ['acme.example'], `person:${ADA}`],
    ['anybody where nobody vouches', 'ada@acme.example', [], `person:${ADA}`],
  ])('%s', (_who, email, vouching, expected) => {
    expect(decideSponsor({ user_id: ADA, email }, vouching)).toBe(expected)
  })
})

describe('domains with an identity provider', () => {
  it('vouch for their people if there are several providers, except for every domain', () => {
    expect(listVouchingDomains([{ mail_domains: ['acme.example'] }, { mail_domains: ['*'] }])).toEqual([
      'acme.example',
    ])
  })

  it('do not if the only provider serves everybody', () => {
    expect(listVouchingDomains([{ mail_domains: ['acme.example'] }])).toEqual([])
  })
})
