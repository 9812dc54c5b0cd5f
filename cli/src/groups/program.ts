// The commands about the program itself: its spool, sign-in and environment.
import { ciCommands } from '../commands/ci.ts'
import { completionCommands } from '../commands/completion.ts'
import { configCommands } from '../commands/config.ts'
import { doctorCommands } from '../commands/doctor.ts'
import { loginCommands } from '../commands/login.ts'
import { mcpCommands } from '../commands/mcp.ts'
import { spoolCommands } from '../commands/spool.ts'
import { statusCommands } from '../commands/status.ts'
import { whoamiCommands } from '../commands/whoami.ts'
import type { Command } from '../program/command.ts'

export const commands: readonly Command[] = [
  ...spoolCommands,
  ...mcpCommands,
  ...statusCommands,
  ...ciCommands,
  ...loginCommands,
  ...whoamiCommands,
  ...doctorCommands,
  ...configCommands,
  ...completionCommands,
]
