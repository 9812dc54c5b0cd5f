// The settings of outgoing messages: the mail server, the hosts that webhooks may reach, and the retry schedule of
// deliveries.
import { isDnsServer, parseEgressAllow } from '@waybill/egress'
import { readCommaList, readLimit, readNumberBetween, readText, readUrlWithScheme } from './readers.ts'
import {
  defineOptional,
  defineSetting,
  type Environment,
  makeReader,
  SettingProblem,
  type Settings,
} from './setting.ts'

export const MESSAGE_SETTINGS = {
  WAYBILL_SMTP_URL: defineOptional({
    meaning: '[mail server](install.md#mail), `smtp://` or `smtps://`, with user and password in the URL',
    unset: 'mails become files in `outbox-mail/` of the data directory',
    example: 'smtps://user:password@mail.example:465',
    is_secret: true,
    parse: readUrlWithScheme('smtp', 'smtps'),
  }),
  WAYBILL_MAIL_FROM: defineOptional({
    meaning: 'sender of mails; required with a mail server',
    unset: 'unset',
    example: 'waybill@acme.example',
    parse: readText,
  }),
  WAYBILL_MAILS_PER_ADDRESS: defineSetting({
    meaning:
      'mails that all organizations together may send to one address in a day, and ten times as many those of which its person is a member; further ones go into one [daily digest](../notifications.md#how-much-mail-an-address-gets). Sign-in links and alerts to the people of an organization do not count; `off` for no limit',
    default: '50',
    example: '200',
    parse: readLimit,
  }),
  WAYBILL_EGRESS_ALLOW: defineSetting({
    meaning:
      'private CIDRs, addresses or host names (also `*.suffix`) that webhooks may reach, separated by commas; see [outgoing connections](install.md#outgoing-connections)',
    default: '',
    example: '10.0.0.0/8,hooks.internal',
    parse: readEgressAllow,
  }),
  WAYBILL_DNS_SERVER: defineOptional({
    meaning: 'resolver used for webhooks: an address, with or without a port',
    unset: 'system resolver',
    example: '10.0.0.53:5353',
    parse: readDnsServer,
  }),
  WAYBILL_RETRY_SCHEDULE: defineSetting({
    meaning: 'seconds between delivery attempts, separated by commas',
    default: '0,5,300,1800,7200,18000,36000,36000',
    example: '0,5,300',
    parse: readSeconds,
  }),
  WAYBILL_KEY_EXPIRY_SCAN_SECONDS: defineSetting({
    meaning: 'how often to look for keys that are about to expire, 1 to 86400',
    default: '3600',
    example: '600',
    parse: readNumberBetween(1, 86_400),
  }),
} satisfies Settings

export interface MessageConfig {
  smtp_url: string | undefined
  mail_from: string | undefined
  mails_per_address: number | null
  egress_allow: string[]
  dns_server: string | undefined
  retry_schedule_s: number[]
  key_expiry_scan_s: number
}

export function readMessageConfig(environment: Environment): MessageConfig {
  const read = makeReader(MESSAGE_SETTINGS, environment)
  const smtp_url = read('WAYBILL_SMTP_URL')
  const mail_from = read('WAYBILL_MAIL_FROM')
  if (smtp_url !== undefined && mail_from === undefined) {
    throw new SettingProblem('WAYBILL_MAIL_FROM is needed with WAYBILL_SMTP_URL')
  }
  return {
    smtp_url,
    mail_from,
    mails_per_address: read('WAYBILL_MAILS_PER_ADDRESS'),
    egress_allow: read('WAYBILL_EGRESS_ALLOW'),
    dns_server: read('WAYBILL_DNS_SERVER'),
    retry_schedule_s: read('WAYBILL_RETRY_SCHEDULE'),
    key_expiry_scan_s: read('WAYBILL_KEY_EXPIRY_SCAN_SECONDS'),
  }
}

function readEgressAllow(value: string, name: string): string[] {
  const entries = readCommaList(value)
  if (parseEgressAllow(entries)) return entries
  throw new SettingProblem(
    `${name} must be ranges such as 10.0.0.0/8, addresses or host names, separated by commas`,
  )
}

function readDnsServer(value: string, name: string): string {
  if (isDnsServer(value)) return value
  throw new SettingProblem(`${name} must be an address, with or without a port, such as 10.0.0.53:5353`)
}

function readSeconds(value: string, name: string): number[] {
  const entries = value.split(',').map(entry => entry.trim())
  if (entries.every(entry => /^\d{1,7}$/.test(entry))) return entries.map(Number)
  throw new SettingProblem(`${name} must be whole seconds separated by commas, such as 0,5,300`)
}
