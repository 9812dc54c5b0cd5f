// A separate group: `version` is the command people run first, and the one used to measure startup.
import { showVersion } from '../commands/version.ts'
import type { Command } from '../program/command.ts'

export const commands: readonly Command[] = [showVersion]
