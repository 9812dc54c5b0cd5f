// Service accounts and keys for operations on them: each role has an account that it created, because only admins can
// manage the accounts of others.
import type { Contract } from '../src/api/operation.ts'
import { type Client, ORG, type TestApp } from './harness.ts'
import { ROLES } from './roles.ts'

const CREATORS = ['admin', 'member', 'snapshotter'] as const
const key_ids = new WeakMap<TestApp, Map<string, string>>()

export async function prepareKeys(contract: Contract, where: TestApp, description: string): Promise<void> {
  if (contract.path.startsWith('/service-accounts/{org}/{name}')) {
    for (const role of CREATORS) {
      const name = nameAccountFor(contract, role)
      await where[role].post(`/service-accounts/${ORG}`, { name, description })
      await prepareKey(contract, where, role, `/service-accounts/${ORG}/${name}/api-keys`)
    }
  }
  if (contract.path.startsWith('/user/api-keys/'))
    await prepareKey(contract, where, 'admin', '/user/api-keys')
}

async function prepareKey(
  contract: Contract,
  where: TestApp,
  role: (typeof CREATORS)[number],
  path: string,
): Promise<void> {
  if (!contract.path.includes('{key_id}')) return
  const { body } = await where[role].post(path, { description: 'prepared' })
  const known = key_ids.get(where) ?? new Map<string, string>()
  key_ids.set(where, known.set(`${contract.id} ${role}`, body.id))
}

/** The path parameters for calls by this client. */
export function findKeysFor(contract: Contract, where: TestApp, client: Client): Record<string, string> {
  const role = ROLES.find(one => where[one] === client) ?? 'admin'
  const key_id = key_ids.get(where)?.get(`${contract.id} ${role}`)
  return { name: nameAccountFor(contract, role), ...(key_id ? { key_id } : {}) }
}

function nameAccountFor({ id }: Contract, role: string): string {
  return `account-for-${id}-${role}`
}
