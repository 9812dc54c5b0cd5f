// Serves the contact for reporting vulnerabilities at `/.well-known/security.txt` (RFC 9116), and the policy it
// refers to, which is SECURITY.md of this version.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../lib/clock.ts'
import { notFound } from '../lib/errors.ts'
import { once } from '../lib/once.ts'
import { packageRoot } from '../lib/package-root.ts'

const DAY_MS = 86_400_000
/** The file is generated for each request, so it never expires; readers should still fetch it again. */
const GOOD_FOR_DAYS = 90
const TEXT_PATH = '/.well-known/security.txt'
const POLICY_PATH = '/.well-known/security-policy'
const PLAIN = 'text/plain; charset=utf-8'
/** Names of tests, which are internal. */
const COMMENT = /[ \t]*<!--[\s\S]*?-->\n?/g

export interface SecurityText {
  base_url: string
  /** Empty: the policy itself names the contact. */
  contacts: readonly string[]
  clock: Clock
}

export function addSecurityText(server: FastifyInstance, { base_url, contacts, clock }: SecurityText): void {
  const policy = once(readPolicy)
  server.get(TEXT_PATH, async (_request, reply) => {
    const policies = policy() === undefined ? [] : [base_url + POLICY_PATH]
    const named = contacts.length > 0 ? contacts : policies
    if (named.length === 0) throw notFound('There is nothing at this address')
    const lines = [
      ...named.map(contact => `Contact: ${contact}`),
      `Expires: ${formatExpiry(clock.now())}`,
      'Preferred-Languages: en',
      `Canonical: ${base_url}${TEXT_PATH}`,
      ...policies.map(address => `Policy: ${address}`),
    ]
    return reply.type(PLAIN).send(`${lines.join('\n')}\n`)
  })
  server.get(POLICY_PATH, async (_request, reply) => {
    const text = policy()
    if (text === undefined) throw notFound('There is nothing at this address')
    return reply.type(PLAIN).send(text)
  })
}

/** Midnight, so that the text stays the same all day. */
function formatExpiry(now: Date): string {
  const days = Math.floor(now.getTime() / DAY_MS) + GOOD_FOR_DAYS
  return new Date(days * DAY_MS).toISOString().replace('.000Z', 'Z')
}

/** Undefined if the program was moved out of its repository. */
function readPolicy(): string | undefined {
  const path = join(packageRoot, '..', 'SECURITY.md')
  return existsSync(path) ? readFileSync(path, 'utf8').replaceAll(COMMENT, '') : undefined
}
