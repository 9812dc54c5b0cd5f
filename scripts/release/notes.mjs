// The section of a version in CHANGELOG.md, which becomes its release notes.

/** Undefined if the changelog has no such section. Link names stay as they are. */
export function findSection(changelog, version) {
  const lines = changelog.split('\n')
  const from = lines.findIndex(line => line.startsWith(`## [${version}]`))
  if (from === -1) return undefined
  const length = lines.slice(from + 1).findIndex(line => line.startsWith('## '))
  const section = lines.slice(from + 1, length === -1 ? undefined : from + 1 + length)
  return section.join('\n').trim()
}

/** A version without its own section, such as a trial, gets the unreleased notes. */
export function writeNotes(changelog, version) {
  const notes = findSection(changelog, version) ?? findSection(changelog, 'Unreleased')
  if (!notes) throw new Error(`CHANGELOG.md has neither a section [${version}] nor unreleased changes`)
  return `# Waybill ${version}\n\n${notes}\n`
}
