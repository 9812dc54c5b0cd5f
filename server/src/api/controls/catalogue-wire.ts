// Catalogues of controls as the outside sends and gets them.
import { type Static, Type } from 'typebox'
import { CATALOGUE_FORMATS } from '../../domain/control/catalogue.ts'
import { CATALOGUE_CHANGES, type CatalogueChange } from '../../domain/control/catalogue-changes.ts'
import type { Download } from '../operation.ts'
import { Moment } from '../shared/moments.ts'
import { Closed, OneOf } from '../shared/wire.ts'

export const CatalogueImport = Closed('ControlCatalogueImport', {
  catalogue: Type.Optional(
    Type.String({ description: 'The text of the catalogue, where it is not sent as a file' }),
  ),
  format: Type.Optional(
    OneOf([...CATALOGUE_FORMATS], {
      description: 'How the catalogue is written; found out when it is left out',
    }),
  ),
  archive_missing: Type.Optional(
    Type.Boolean({
      description: 'Archives the active controls that the catalogue does not have; false unless told',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Answers what would change and changes nothing; false unless told' }),
  ),
})
export type CatalogueImport = Static<typeof CatalogueImport>

const ControlCount = (what: string) => Type.Integer({ minimum: 0, description: `How many controls ${what}` })

export const ImportedCatalogue = Closed('ImportedControlCatalogue', {
  dry_run: Type.Boolean({ description: 'Whether it was only a rehearsal' }),
  created: ControlCount('are new'),
  updated: ControlCount('got another definition or other tags'),
  archived: ControlCount('were archived'),
  unarchived: ControlCount('came back from the archive'),
  unchanged: ControlCount('are as they were'),
  controls: Type.Array(
    Closed('ImportedControl', {
      identifier: Type.String({ description: 'The identifier of the control' }),
      change: OneOf([...CATALOGUE_CHANGES], { description: 'What happened to it' }),
    }),
    { description: 'One entry for each change, in the order of the catalogue' },
  ),
})
export type ImportedCatalogue = Static<typeof ImportedCatalogue>

export const CatalogueExportQuery = Closed('ControlCatalogueExportQuery', {
  format: Type.Optional(
    OneOf([...CATALOGUE_FORMATS], { description: 'How it is written; yaml unless told' }),
  ),
  archived: Type.Optional(
    Type.Boolean({ description: 'Whether archived controls are in it as well; false unless told' }),
  ),
})

/** YAML and CSV are text, OSCAL is JSON. */
export const CatalogueFile = Type.Unsafe<Download>({
  type: ['string', 'object'],
  title: 'ControlCatalogueFile',
  description: 'The catalogue: text in YAML or CSV, or an OSCAL catalog in JSON',
  examples: ['version: 1\ncontrols:\n  - identifier: SDLC-7\n    name: Changes are reviewed\n'],
})

export const AssessmentQuery = Closed('AssessmentResultsQuery', {
  from_timestamp: Moment('Not before, in epoch seconds; 30 days before the end unless told'),
  to_timestamp: Moment('Not after, in epoch seconds; now unless told'),
})

export const AssessmentResultsFile = Type.Unsafe<Download>({
  type: 'object',
  title: 'OscalAssessmentResults',
  description: 'OSCAL assessment results 1.1.3',
  required: ['assessment-results'],
  properties: {
    'assessment-results': { type: 'object', description: 'Results with observations and findings' },
  },
})

export function toWireImport(
  changes: readonly { identifier: string; change: CatalogueChange }[],
  dry_run: boolean,
): ImportedCatalogue {
  const countChanges = (kind: CatalogueChange) => changes.filter(({ change }) => change === kind).length
  return {
    dry_run,
    created: countChanges('created'),
    updated: countChanges('updated'),
    archived: countChanges('archived'),
    unarchived: countChanges('unarchived'),
    unchanged: countChanges('unchanged'),
    controls: [...changes],
  }
}
