// The scripts of the shells. Commands have one or two words; after them come flags and files.

export interface Completed {
  words: readonly string[]
  summary: string
  /** With their dashes. */
  flags: readonly { name: string; summary: string }[]
}

export function writeBash(completed: readonly Completed[]): string {
  return [
    '# bash completion for waybill',
    ...writeFunction(completed),
    'complete -o default -F _waybill waybill',
  ].join('\n')
}

/** zsh runs the function of bash. */
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
  const first = [...new Set(completed.map(({ words: [word = ''] }) => word))].toSorted()
  const twoWords = completed.filter(({ words }) => words.length === 2)
  const nouns = (verb: string) =>
    twoWords.flatMap(({ words: [one, two = ''] }) => (one === verb ? [two] : [])).toSorted()
  const verbs = [...new Set(twoWords.map(({ words: [word = ''] }) => word))].toSorted()
  return [
    '_waybill() {',
    '  local current="$' + '{COMP_WORDS[COMP_CWORD]}" typed="" words="" flags="" index',
    '  for ((index = 1; index < COMP_CWORD; index++)); do',
    '    [[ "$' + '{COMP_WORDS[index]}" == -* ]] || typed+="$' + '{COMP_WORDS[index]} "',
    '  done',
    '  case "$typed" in',
    // The longest first: the first that matches counts.
    ...[...twoWords, ...completed.filter(({ words }) => words.length === 1)].map(
      ({ words, flags }) =>
        `    "${words.join(' ')} "*) flags="${flags.map(({ name }) => name).join(' ')}" ;;`,
    ),
    '  esac',
    '  case "$typed" in',
    `    "") words="${first.join(' ')}" ;;`,
    ...verbs.map(verb => `    "${verb} ") words="${nouns(verb).join(' ')}" ;;`),
    '  esac',
    '  if [[ "$current" == -* ]]; then words="$flags"; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
  ]
}

export function writeFish(completed: readonly Completed[]): string {
  const twoWords = completed.filter(({ words }) => words.length === 2)
  const verbs = [...new Set(twoWords.map(({ words: [word = ''] }) => word))]
  const single = completed.filter(({ words }) => words.length === 1)
  return [
    '# fish completion for waybill',
    ...verbs.map(verb => `complete -c waybill -n __fish_use_subcommand -f -a ${verb}`),
    ...single.map(
      ({ words, summary }) =>
        `complete -c waybill -n __fish_use_subcommand -f -a ${words[0]} -d ${quote(summary)}`,
    ),
    ...twoWords.map(({ words: [verb, noun], summary }) => {
      const condition = `test (count (commandline -opc)) -eq 2; and __fish_seen_subcommand_from ${verb}`
      return `complete -c waybill -n ${quote(condition)} -f -a ${noun} -d ${quote(summary)}`
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

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
