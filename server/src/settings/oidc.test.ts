// The list of identity providers in the settings: the mistakes that stop the start.
import { expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { SettingProblem } from './setting.ts'

it.each([
  ['{}', ' must be a JSON list'],
  ['[', ' must be a JSON list'],
  ['[7]', ': entry 1 must be an object'],
  ['[{}]', ': entry 1 needs the text id'],
  ['[{"id":"a","issuer":"https://x"}]', ': entry 1 needs the text client_id'],
  [
    '[{"id":"A b","issuer":"https://x","client_id":"c"}]',
    ': entry 1 needs an id of small letters, digits and hyphens',
  ],
  [
    '[{"id":"a","issuer":"http://x","client_id":"c"}]',
    ': entry 1 needs an issuer that is https, or http of this host',
  ],
  ['[{"id":"a","issuer":"https://x","client_id":"c","x":1}]', ': entry 1 has the unknown field x'],
  [
    '[{"id":"a","issuer":"https://x","client_id":"c","mail_domains":"d"}]',
    ': entry 1 needs mail_domains as a list of texts',
  ],
  [
    '[{"id":"a","issuer":"https://x","client_id":"c","trusted_mail_domains":[7]}]',
    ': entry 1 needs trusted_mail_domains as a list of texts',
  ],
  [
    '[{"id":"a","issuer":"https://login.microsoftonline.com/common/v2.0","client_id":"c","trusted_mail_domains":["d"]}]',
    ': entry 1 has trusted_mail_domains, but anyone can have a tenant at its issuer',
  ],
  [
    '[{"id":"a","issuer":"https://x","client_id":"c","role_map":{"v":"owner@acme"}}]',
    ': entry 1 needs a role_map such as {"devs": "member@acme"}',
  ],
  [
    '[{"id":"a","issuer":"https://x","client_id":"c"},{"id":"a","issuer":"https://y","client_id":"c"}]',
    ': two identity providers have the id a',
  ],
  [
    '[{"id":"a","issuer":"https://x","client_id":"c","mail_domains":["d"]},{"id":"b","issuer":"https://y","client_id":"c","mail_domains":["D"]}]',
    ': two identity providers have the mail domain d',
  ],
  ['[[]]', ': entry 1 must be an object'],
])('WAYBILL_OIDC_PROVIDERS of %s', (value, sentence) => {
  const problem = new SettingProblem(`WAYBILL_OIDC_PROVIDERS${sentence}`)
  expect(() => readConfig({ WAYBILL_OIDC_PROVIDERS: value })).toThrow(problem)
})
