// The command that verifies receipts. Apart from the others, because it loads what auditors need.
import { verifyReceiptsCommands } from '../commands/verify-receipts.ts'
import type { Command } from '../program/command.ts'

export const commands: readonly Command[] = verifyReceiptsCommands
