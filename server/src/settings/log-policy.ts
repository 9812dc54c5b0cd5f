// Reads the witness policy: as C2SP tlog-policy, from the setting itself or from a file that it names.
import { readFileSync } from 'node:fs'
import { type Policy, parsePolicy } from '@waybill/transparency-log'
import { parseUrl } from '../lib/url.ts'
import { defineOptional, SettingProblem, type Settings } from './setting.ts'

const FILE = 'file://'

export const LOG_POLICY_SETTINGS = {
  WAYBILL_LOG_POLICY: defineOptional({
    meaning:
      'the [witnesses](../log.md#witnesses) that cosign the logs: the text of a C2SP tlog-policy, or `file:///…` with it',
    unset: 'none',
    example: 'file:///etc/waybill/log-policy',
    parse: readLogPolicy,
  }),
} satisfies Settings

function readLogPolicy(value: string, name: string): Policy {
  const policy = parseNamed(name, value.startsWith(FILE) ? readPolicyFile(name, value) : value)
  for (const witness of policy.witnesses) {
    const problem = findUrlProblem(witness.url)
    if (problem !== undefined) throw new SettingProblem(`${name}: the witness '${witness.name}' ${problem}`)
  }
  return policy
}

function readPolicyFile(name: string, url: string): string {
  try {
    return readFileSync(new URL(url), 'utf8')
  } catch (error) {
    throw new SettingProblem(`${name}: the file cannot be read (${(error as Error).message})`)
  }
}

function parseNamed(name: string, text: string): Policy {
  try {
    return parsePolicy(text)
  } catch (error) {
    throw new SettingProblem(`${name}: ${(error as Error).message}`)
  }
}

function findUrlProblem(text: string | undefined): string | undefined {
  if (text === undefined) return 'has no URL to be asked at'
  const url = parseUrl(text)
  const isPlainPrefix = url && /^https?:$/.test(url.protocol) && !/[?#@]/.test(text)
  return isPlainPrefix
    ? undefined
    : 'has a URL that does not begin with https:// or http://, or has more than a path'
}
