// Every text of the pages of custom attestation types.

export const typeTexts = {
  attestations: 'Attestations',
  customTypes: 'Custom types',
  list: {
    title: 'Attestation types',
    intro: 'A custom type defines which data an attestation has, and which rules make it compliant.',
    type: 'Type',
    version: 'Version',
    lastChange: 'Last change',
    noneArchived: 'No archived types',
    allArchived: 'All custom types are archived',
    none: 'No custom types yet',
    noneHint:
      'Built-in types such as junit and pull_request are always available. Create a custom type with:',
  },
  detail: {
    createdBy: (person: string) => `Created by ${person},`,
    viewAttestations: 'View attestations of this type',
    version: 'Version',
    versionChoice: (version: number, isCurrent: boolean) =>
      `Version ${version}${isCurrent ? ' (current)' : ''}`,
    noVersion: (version: number) => `There is no version ${version}. This is the current version.`,
    archive: 'Archive',
    archiveQuestion:
      'It accepts no new attestations. Existing attestations are kept, and you can unarchive it later.',
    archived: (type: string) => `Archived ${type}`,
  },
  version: {
    createdBy: (person: string) => `Created by ${person},`,
    rules: 'Rules',
    noRules: 'No rules: any data that matches the schema is compliant.',
    allRules: 'An attestation is compliant if every rule yields true:',
    summary: 'Summary',
    noSummary: 'The summary shows none of the data.',
    schema: 'Data schema',
    noSchema: 'Any data is accepted.',
  },
}
