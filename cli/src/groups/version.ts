// A group of its own: it is what people run first, and what a start is measured with.
import { showVersion } from '../commands/version.ts'
import type { Command } from '../program/command.ts'

export const commands: readonly Command[] = [showVersion]
