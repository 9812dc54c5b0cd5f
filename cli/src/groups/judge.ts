// The commands that ask for a verdict.
import { assertCommands } from '../commands/assert.ts'
import { waitCommands } from '../commands/wait.ts'
import { whyCommands } from '../commands/why.ts'
import type { Command } from '../program/command.ts'

export const commands: readonly Command[] = [...assertCommands, ...waitCommands, ...whyCommands]
