// A command as data: its words, arguments, flags and the API operations it calls. Parsing, help, completion,
// docs/cli.md and the tests follow from the list of commands (commands.ts).
import type { Context } from './context.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags, ValuesOf } from './flags.ts'

export interface Argument {
  name: string
  summary: string
  is_required: boolean
  /** Takes all following arguments; only for the last one. */
  is_repeated?: boolean
}

interface Input<F extends Flags> {
  /** By name; omitted arguments are missing. */
  args: Readonly<Record<string, string>>
  /** The values of a repeated argument. */
  repeated: readonly string[]
  flags: ValuesOf<F>
  context: Context
}

/** The settings that a command requires before it runs. */
type Needs =
  /** The address of the service and a credential. */
  | 'service'
  /** The same and an organization. */
  | 'org'
  /** Nothing: it works without a service. */
  | 'nothing'

export interface Command<F extends Flags = Flags> {
  /** One to three words, such as `create flow`. */
  words: readonly string[]
  /** Aliases. */
  also?: readonly (readonly string[])[]
  summary: string
  details?: string
  args: readonly Argument[]
  flags: F
  needs: Needs
  /** Operation ids of the OpenAPI document. */
  operations: readonly string[]
  /** Command lines without the program's name. */
  examples: readonly string[]
  /** Whether it goes through the spool: a write that must not be lost when the service is down. */
  is_recorded?: boolean
  is_hidden?: boolean
  run(input: Input<F>): Promise<Exit | undefined>
}

/** Lets TypeScript derive the types of the flags for `run`. */
export function defineCommand<const F extends Flags>(command: Command<F>): Command {
  return command
}

export const argument = (name: string, summary: string): Argument => ({ name, summary, is_required: true })
export const optionalArgument = (name: string, summary: string): Argument => ({
  name,
  summary,
  is_required: false,
})
export const repeatedArgument = (name: string, summary: string): Argument => ({
  name,
  summary,
  is_required: true,
  is_repeated: true,
})
