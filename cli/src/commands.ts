// All commands of the client.
import { ciCommands } from './commands/ci.ts'
import { flowCommands } from './commands/flows.ts'
import { loginCommands } from './commands/login.ts'
import type { Command } from './program/command.ts'

export const commands: readonly Command[] = [...flowCommands, ...ciCommands, ...loginCommands]
