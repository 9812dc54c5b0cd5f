// Gives a bare connection the settings that the pool sets in each transaction.
import { TRANSACTION_SETTINGS } from '../src/db/scope.ts'

export function buildSessionOptions(changed: Record<string, string> = {}): string {
  return Object.entries({ ...TRANSACTION_SETTINGS, ...changed })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}
