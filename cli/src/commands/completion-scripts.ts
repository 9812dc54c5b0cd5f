// The completion scripts for each shell. Commands have one to three words; flags and files follow.

export interface Completed {
  words: readonly string[]
  summary: string
  /** Including their dashes. */
  flags: readonly { name: string; summary: string }[]
}

export function writeBash(completed: readonly Completed[]): string {
  return [
    '# bash completion for waybill',
    ...writeFunction(completed),
    'complete -o default -F _waybill waybill',
  ].join('\n')
}

/** zsh uses the bash function. */
export function writeZsh(completed: readonly Completed[]): string {
  return [
    '#compdef waybill',
    '# zsh completion for waybill',
    'autoload -U +X bashcompinit && bashcompinit',
    ...writeFunction(completed),
    'complete -o default -F _waybill waybill',
  ].join('\n')
}

function writeFunction(completed: readonly Completed[]): string[] {
  // Longest first: the first match wins.
  const longest_first = completed.toSorted((one, other) => other.words.length - one.words.length)
  return [
    '_waybill() {',
    '  local current="$' + '{COMP_WORDS[COMP_CWORD]}" typed="" words="" flags="" index',
    '  for ((index = 1; index < COMP_CWORD; index++)); do',
    '    [[ "$' + '{COMP_WORDS[index]}" == -* ]] || typed+="$' + '{COMP_WORDS[index]} "',
    '  done',
    '  case "$typed" in',
    ...longest_first.map(
      ({ words, flags }) =>
        `    "${words.join(' ')} "*) flags="${flags.map(({ name }) => name).join(' ')}" ;;`,
    ),
    '  esac',
    '  case "$typed" in',
    ...[...listNextWords(completed)].map(([typed, next]) => `    "${typed}") words="${next.join(' ')}" ;;`),
    '  esac',
    '  if [[ "$current" == -* ]]; then words="$flags"; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
  ]
}

/** Maps the words typed so far, each followed by a space, to possible next words. */
function listNextWords(completed: readonly Completed[]): Map<string, string[]> {
  const next = new Map<string, Set<string>>()
  for (const { words } of completed)
    for (const [index, word] of words.entries()) {
      const typed = words
        .slice(0, index)
        .map(each => `${each} `)
        .join('')
      next.set(typed, (next.get(typed) ?? new Set()).add(word))
    }
  return new Map([...next].map(([typed, words]) => [typed, [...words].toSorted()]))
}

export function writeFish(completed: readonly Completed[]): string {
  return [
    '# fish completion for waybill',
    ...[...listNextWords(completed)].flatMap(([typed, next]) => {
      const before = typed.split(' ').filter(Boolean)
      return next.map(word => {
        const found = completed.find(({ words }) => words.join(' ') === [...before, word].join(' '))
        const about = found === undefined ? '' : ` -d ${quote(found.summary)}`
        return `complete -c waybill -n ${quote(describePlace(before))} -f -a ${word}${about}`
      })
    }),
    ...completed.flatMap(({ words, flags }) => {
      const condition = words.map(word => `__fish_seen_subcommand_from ${word}`).join('; and ')
      return flags.map(
        ({ name, summary }) =>
          `complete -c waybill -n ${quote(condition)} -l ${name.slice(2)} -d ${quote(summary)}`,
      )
    }),
  ].join('\n')
}

/** Directly after these words. */
function describePlace(words: readonly string[]): string {
  if (words.length === 0) return '__fish_use_subcommand'
  const seen = words.map(word => `__fish_seen_subcommand_from ${word}`)
  return [`test (count (commandline -opc)) -eq ${words.length + 1}`, ...seen].join('; and ')
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
