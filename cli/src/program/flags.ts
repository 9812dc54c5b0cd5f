// The kinds of flags, and the type of each one's value in a command.

interface FlagBase {
  summary: string
  /** One letter. */
  short?: string
  /** How the help names the value, such as `<file>`. */
  placeholder?: string
  /** Additional names of environment variables, besides the one derived from the flag's name. */
  variables?: readonly string[]
  /** The fact about the CI job to use if nothing else provides a value. */
  from_ci?: CiFact
  /**
   * Users can set it in the repository's `waybill.yml`. Never for flags about where or as whom to sign in.
   */
  in_repository_file?: boolean
  /** Not shown in help and completion: accepted for compatibility with other clients. */
  is_hidden?: boolean
}

/** The CI facts that flags can use. */
export type CiFact =
  | 'commit'
  | 'branch'
  | 'tag'
  | 'build_url'
  | 'commit_url'
  | 'repository'
  | 'repository_id'
  | 'repository_url'
  | 'repository_provider'

export interface TextFlag extends FlagBase {
  kind: 'text'
  is_required: boolean
  choices?: readonly string[]
  fallback?: string
}

export interface ListFlag extends FlagBase {
  kind: 'list'
  is_required: boolean
  /** Values with commas are one value. */
  keeps_commas?: boolean
}

export interface SwitchFlag extends FlagBase {
  kind: 'switch'
  fallback: boolean
}

export interface NumberFlag extends FlagBase {
  kind: 'number'
  min: number
  max: number
  fallback?: number
}

export interface PairsFlag extends FlagBase {
  kind: 'pairs'
}

export type Flag = TextFlag | ListFlag | SwitchFlag | NumberFlag | PairsFlag
export type Flags = Readonly<Record<string, Flag>>

type ValueOf<F extends Flag> = F extends ListFlag
  ? readonly string[]
  : F extends SwitchFlag
    ? boolean
    : F extends PairsFlag
      ? Readonly<Record<string, string>>
      : F extends NumberFlag
        ? F extends { fallback: number }
          ? number
          : number | undefined
        : F extends { is_required: true } | { fallback: string }
          ? string
          : string | undefined

export type ValuesOf<F extends Flags> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

type Options<F extends Flag> = Omit<F, 'kind' | 'summary' | 'is_required' | 'fallback'>

export function text(summary: string, options: Options<TextFlag> = {}) {
  return { kind: 'text', summary, is_required: false, ...options } as const
}

export function requiredText(summary: string, options: Options<TextFlag> = {}) {
  return { kind: 'text', summary, is_required: true, ...options } as const
}

export function textOr(summary: string, fallback: string, options: Options<TextFlag> = {}) {
  return { kind: 'text', summary, is_required: false, fallback, ...options } as const
}

export function list(summary: string, options: Options<ListFlag> = {}) {
  return { kind: 'list', summary, is_required: false, ...options } as const
}

export function requiredList(summary: string, options: Options<ListFlag> = {}) {
  return { kind: 'list', summary, is_required: true, ...options } as const
}

export function toggle(summary: string, fallback = false, options: Options<SwitchFlag> = {}) {
  return { kind: 'switch', summary, fallback, ...options } as const
}

export function number(
  summary: string,
  options: Omit<Options<NumberFlag>, 'min' | 'max'> & { min?: number; max?: number } = {},
) {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, ...rest } = options
  return { kind: 'number', summary, min, max, ...rest } as const
}

export function numberOr(summary: string, fallback: number, options: Parameters<typeof number>[1] = {}) {
  return { ...number(summary, options), fallback } as const
}

/** `name=value`, repeatable. */
export function pairs(summary: string, options: Options<PairsFlag> = {}) {
  return { kind: 'pairs', summary, ...options } as const
}
