// Every text of the search, in the order in which a reader meets them.

export const searchTexts = {
  open: 'Search',
  title: 'Search',
  close: 'Close the search',
  field: 'Commit, fingerprint or name',
  fieldHelp: 'The first five characters of a commit or fingerprint are enough.',
  help: (minLength: number) =>
    `Find artifacts and trails by the first ${minLength} characters of a fingerprint or commit, or by the beginning of any word in their name. Find environments, flows, repos, policies and controls by any part of their name.`,
  searching: 'Searching…',
  failed: (message: string) => `Search failed: ${message}`,
  nothing: 'No results',
  nothingWithHelp: (help: string) => `No results. ${help}`,
  resultNoun: 'result',
  first: (results: string) => `The first ${results}`,
  keysExact: (results: string) =>
    `${results}. Use the arrow keys to select one; Enter opens the exact match.`,
  keysAll: (results: string) => `${results}. Use the arrow keys to select one; Enter shows all results.`,
  results: 'Results',
  group: (kind: string, count: number) => `${kind} (${count})`,
  groupCut: (kind: string, count: number) => `${kind} (the first ${count})`,
  name: 'Name',
  compliance: 'Compliance',
  kinds: {
    artifacts: 'Artifacts',
    trails: 'Trails',
    environments: 'Environments',
    flows: 'Flows',
    repos: 'Repos',
    policies: 'Policies',
    controls: 'Controls',
  },
  artifact: {
    fromNoFlow: 'not reported by any flow',
    from: (flow: string) => `from ${flow}`,
    notRunning: 'not running',
    runningIn: (environments: string) => `running in ${environments}`,
    detail: (fingerprint: string, origin: string, place: string) => `${fingerprint}, ${origin}, ${place}`,
    shortDetail: (fingerprint: string, origin: string) => `${fingerprint}, ${origin}`,
  },
  trail: {
    in: (flow: string) => `in ${flow}`,
    inBranch: (flow: string, branch: string) => `in ${flow}, branch ${branch}`,
  },
} as const
