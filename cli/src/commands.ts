// All commands of the client.
import { flowCommands } from './commands/flows.ts'
import type { Command } from './program/command.ts'

export const commands: readonly Command[] = [...flowCommands]
