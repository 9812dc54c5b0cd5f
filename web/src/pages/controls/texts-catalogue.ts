// Every text of the pages that create, edit and import controls.

export const catalogueTexts = {
  controls: 'Controls',
  /** Completes `Only admins can change …`. */
  subject: 'controls',
  edit: {
    newControl: 'New control',
    edit: 'Edit',
    title: (control: string) => `Edit ${control}`,
    archived: 'An archived control cannot be edited',
    unarchiveOn: 'Unarchive it on',
    itsPage: 'its page',
    first: 'first.',
  },
  form: {
    identifier: 'Identifier',
    identifierHint:
      'Letters, digits and - . _ ~. Policies and decisions refer to the control by it, so it can never change.',
    identifierPlaceholder: 'SDLC-7',
    name: 'Name',
    namePlaceholder: 'Every change is reviewed',
    description: 'Description',
    links: 'Links',
    noLinks: 'No links yet. A link can lead to the text of the requirement, for example.',
    label: 'Label',
    duplicateLabel: 'Another link has this label',
    url: 'URL',
    urlHint: 'Must start with https:// or http://',
    removeLink: (label: string) => `Remove link ${label}`,
    addLink: 'Add link',
    create: 'Create',
    created: (control: string) => `Created ${control}`,
    save: 'Save',
    saved: (control: string) => `Saved ${control}`,
  },
  import: {
    crumb: 'Import',
    title: 'Import controls',
    intro:
      'Upload a catalogue in YAML, CSV or OSCAL (JSON), as the export creates it. You see a preview before ' +
      'anything changes.',
    catalogue: 'Catalogue',
    chooseFile: 'Choose a file',
    removeFile: 'Remove file',
    archiveMissing: 'Archive controls that are missing from the catalogue',
    preview: 'Preview changes',
    previewTitle: 'Preview',
    previewCounts: (
      created: number,
      updated: number,
      archived: number,
      unarchived: number,
      unchanged: number,
    ) =>
      `${created} to create, ${updated} to update, ${archived} to archive, ${unarchived} to unarchive; ` +
      `${unchanged} unchanged.`,
    caption: 'Controls that the import would change',
    control: 'Control',
    change: 'Change',
    firstShown: (count: number) => `Only the first ${count} are shown.`,
    import: 'Import',
    imported: 'Catalogue imported',
    counts: (created: number, updated: number, archived: number, unarchived: number) =>
      `${created} created, ${updated} updated, ${archived} archived, ${unarchived} unarchived.`,
    viewControls: 'View controls',
  },
}
