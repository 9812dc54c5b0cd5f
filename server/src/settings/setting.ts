// Defines settings and reads them from the environment. Validation, `serve --help` and docs/operate/settings.md
// follow from these descriptions.

/** An invalid or unknown setting: the start fails with this one line. */
export class SettingProblem extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>

export interface Setting<T> {
  /** A phrase in Markdown. Its links start at docs/operate/. */
  readonly meaning: string
  /** The value that applies if none is set, or a description of it. */
  readonly default: { readonly value: string } | { readonly words: string }
  /** A value that the parser accepts. */
  readonly example: string
  /** Can be read from a file, see secret-files.ts. */
  readonly is_secret: boolean
  read(value: string | undefined, name: string): T
}

export type Settings = Readonly<Record<string, Setting<unknown>>>

interface Description<T> {
  meaning: string
  example: string
  is_secret?: true
  parse(value: string, name: string): T
}

/** A setting with an ordinary default value. */
export function defineSetting<T>(given: Description<T> & { default: string }): Setting<T> {
  const { parse, default: value, is_secret = false, ...words } = given
  return {
    ...words,
    is_secret,
    default: value === '' ? { words: 'none' } : { value },
    read: (set = value, name) => parse(set, name),
  }
}

/** A setting that is undefined if it is not set. */
export function defineOptional<T>(given: Description<T> & { unset: string }): Setting<T | undefined> {
  const { parse, unset, is_secret = false, ...words } = given
  return {
    ...words,
    is_secret,
    default: { words: unset },
    read: (set, name) => (set === undefined ? undefined : parse(set, name)),
  }
}

/** An empty value counts as unset. */
export function makeReader<S extends Settings>(settings: S, environment: Environment) {
  return <N extends keyof S & string>(name: N) =>
    settings[name]?.read(environment[name] || undefined, name) as ReturnType<S[N]['read']>
}
