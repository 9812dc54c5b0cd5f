// The commands of the server, which the same program provides. They load only when they run.
import type { Listed } from './program/help.ts'

export const SERVER_COMMANDS: readonly Listed[] = [
  { name: 'serve', summary: 'start the service' },
  { name: 'work', summary: 'deliver messages and evaluate again, for processes that only serve' },
  { name: 'demo', summary: 'fill an organization with demo data, once' },
  { name: 'admin', summary: 'set up and maintain a Waybill database' },
  { name: 'witness', summary: 'cosign the checkpoints of logs that only grow' },
  { name: 'openapi', summary: 'print the OpenAPI document' },
  { name: 'log fetch', summary: 'download the log of an organization, to verify it' },
  { name: 'verify', summary: 'verify a downloaded log, without a service' },
]

/** Begins like one of them, and needs what the client knows: the service, the key and the file of receipts. */
const VERIFY_RECEIPTS = ['verify', 'receipts']

export function isServerCommand(argv: readonly string[]): boolean {
  if (VERIFY_RECEIPTS.every((word, index) => argv[index] === word)) return false
  return SERVER_COMMANDS.some(({ name }) => name.split(' ').every((word, index) => argv[index] === word))
}
