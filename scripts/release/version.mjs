// Sets the version of the repository, in every manifest and in the changelog. Pure functions; scripts/release/set-version.mjs writes.

const OURS = /^(waybill|waybill-repository|@waybill\/.*)$/
const FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies']

/** A manifest, or a lock file entry for one of our packages, with the version and our packages that it needs. */
export function setVersion(manifest, version) {
  const changed = { ...manifest, ...(manifest.version === undefined ? {} : { version }) }
  for (const field of FIELDS) {
    if (manifest[field] === undefined) continue
    const pins = Object.entries(manifest[field]).map(([name, pin]) => [name, OURS.test(name) ? version : pin])
    changed[field] = Object.fromEntries(pins)
  }
  return changed
}

/** Entries of other people's packages stay as they are. */
export function setLockVersion(lock, version) {
  const packages = Object.entries(lock.packages).map(([path, entry]) => [
    path,
    path.includes('node_modules/') ? entry : setVersion(entry, version),
  ])
  return { ...lock, version, packages: Object.fromEntries(packages) }
}

/** Unreleased changes become the section of the version. */
export function closeSection(changelog, version, date) {
  if (changelog.includes(`\n## [${version}]`))
    throw new Error(`CHANGELOG.md has a section [${version}] already`)
  const heading = '## [Unreleased]\n'
  if (!changelog.includes(heading)) throw new Error('CHANGELOG.md has no section [Unreleased]')
  return changelog.replace(heading, `${heading}\n## [${version}] - ${date}\n`)
}
