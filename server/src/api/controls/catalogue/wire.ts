// Control catalogues as the API sends and accepts them.
import { type Static, Type } from 'typebox'
import { CATALOGUE_FORMATS } from '../../../domain/control/catalogue.ts'
import { CATALOGUE_CHANGES, type CatalogueChange } from '../../../domain/control/catalogue-changes.ts'
import type { Download } from '../../operation.ts'
import { EpochTime } from '../../shared/epoch-times.ts'
import { about, Closed, OneOf } from '../../shared/wire.ts'

export const CatalogueImport = Closed('ControlCatalogueImport', {
  catalogue: Type.Optional(
    Type.String({ description: 'The text of the catalogue, if it is not sent as a file' }),
  ),
  format: Type.Optional(
    OneOf([...CATALOGUE_FORMATS], {
      description: 'Format of the catalogue. Detected by default',
    }),
  ),
  archive_missing: Type.Optional(
    Type.Boolean({
      description: 'Archive active controls that are missing from the catalogue. Defaults to false',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Return what would change without changing anything. Defaults to false' }),
  ),
})
export type CatalogueImport = Static<typeof CatalogueImport>

const ControlCount = (what: string) =>
  Type.Integer({ minimum: 0, description: `Number of controls that ${what}` })

export const ImportedCatalogue = Closed('ImportedControlCatalogue', {
  dry_run: Type.Boolean({ description: 'Whether this was a dry run, which changed nothing' }),
  created: ControlCount('are new'),
  updated: ControlCount('got a new definition or new tags'),
  archived: ControlCount('were archived'),
  unarchived: ControlCount('were unarchived'),
  unchanged: ControlCount('did not change'),
  controls: Type.Array(
    Closed('ImportedControl', {
      identifier: Type.String(about('The identifier of the control', 'SDLC-7')),
      change: OneOf([...CATALOGUE_CHANGES], { description: 'The change to the control' }),
    }),
    { description: 'One entry for each change, in the order of the catalogue' },
  ),
})
export type ImportedCatalogue = Static<typeof ImportedCatalogue>

export const CatalogueExportQuery = Closed('ControlCatalogueExportQuery', {
  format: Type.Optional(
    OneOf([...CATALOGUE_FORMATS], { description: 'Format of the file. Defaults to yaml' }),
  ),
  archived: Type.Optional(Type.Boolean(about('Include archived controls. Defaults to false', false))),
})

/** YAML and CSV are text, OSCAL is JSON. */
export const CatalogueFile = Type.Unsafe<Download>({
  type: ['string', 'object'],
  title: 'ControlCatalogueFile',
  ...about(
    'The catalogue: text in YAML or CSV, or an OSCAL catalog in JSON',
    'version: 1\ncontrols:\n  - identifier: SDLC-7\n    name: Changes are reviewed\n',
  ),
})

export const AssessmentQuery = Closed('AssessmentResultsQuery', {
  from_timestamp: EpochTime('Start of the period, in epoch seconds. Defaults to 30 days before the end'),
  to_timestamp: EpochTime('End of the period, in epoch seconds. Defaults to now'),
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
