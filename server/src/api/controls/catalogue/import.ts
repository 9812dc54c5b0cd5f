// POST /control-catalogue/{org}: imports a catalogue file, all of its controls or none.
import type { Db } from '../../../db/database.ts'
import {
  type Catalogue,
  type CatalogueFormat,
  detectFormat,
  type ParsedCatalogue,
} from '../../../domain/control/catalogue.ts'
import {
  type CatalogueChange,
  listChanges,
  type PlannedControl,
  planImport,
} from '../../../domain/control/catalogue-changes.ts'
import { parseCsvCatalogue } from '../../../domain/control/catalogue-csv.ts'
import { parseYamlCatalogue } from '../../../domain/control/catalogue-yaml.ts'
import { parseOscalCatalogue } from '../../../domain/control/oscal-catalogue-import.ts'
import type { EventKind } from '../../../events/kinds.ts'
import { type EventInput, type RequestContext, recordEvents } from '../../../events/record.ts'
import { invalid } from '../../../lib/errors.ts'
import type { Ids } from '../../../lib/ids.ts'
import { parseUtf8 } from '../../../lib/utf8.ts'
import { type Deps, defineOperation } from '../../operation.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../../shared/idempotency.ts'
import {
  claimKey,
  findSavedAnswer,
  type IdempotencyClaim,
  saveAnswer,
} from '../../shared/idempotency-store.ts'
import { ControlsPath } from '../wire.ts'
import {
  type CatalogueChanges,
  type ImportedVersion,
  lockCatalogue,
  readCatalogue,
  storeCatalogue,
} from './store.ts'
import { CatalogueImport, ImportedCatalogue, toWireImport } from './wire.ts'

const FILE_PART = 'catalogue_file'
const JSON_PART = 'data_json'
const BYTE_ORDER_MARK = /^\ufeff/

export const importControlCatalogue = defineOperation(
  {
    id: 'importControlCatalogue',
    method: 'POST',
    path: '/control-catalogue/{org}',
    tag: 'Controls',
    summary: 'Import a control catalogue',
    description:
      'Send multipart with `catalogue_file` and optionally `data_json`, or JSON with `catalogue`. The catalogue is ' +
      'YAML (at most 1 MiB), CSV or an OSCAL catalog in JSON, with at most 5,000 controls. New controls are ' +
      'created; controls that differ are edited, archived or unarchived. The import is applied completely or not ' +
      'at all. The file has the whole definition of a control: omitting the description or the links removes them. ' +
      'Omitted tags and an omitted `archived` stay as they are; OSCAL adds tags and removes none. A control that ' +
      'stays archived is not edited.',
    access: 'admin',
    feature: 'controls',
    beta: true,
    audit: [
      'control_catalogue_imported',
      'control_created',
      'control_updated',
      'control_archived',
      'control_unarchived',
      'control_tagged',
    ],
    params: ControlsPath,
    body: CatalogueImport,
    form: { json_part: JSON_PART, json_is_optional: true, file_parts: [FILE_PART] },
    returns: ImportedCatalogue,
    fails: [400, 403, 422],
    example: {
      body: {
        catalogue:
          'version: 1\ncontrols:\n  - identifier: SDLC-CTRL-0007\n    name: Every change is reviewed\n' +
          '    description: Nobody merges their own change alone\n    tags: { framework: iso }\n',
        format: 'yaml',
        archive_missing: false,
        dry_run: false,
      },
    },
  },
  async (request, deps) => {
    const { body, files, org, now } = request
    const { db, ids } = deps
    const { org_id } = org
    const { archive_missing = false, dry_run = false } = body
    const text = readText(body, files[FILE_PART])
    const { catalogue, format } = parseCatalogue(text, body, files[FILE_PART] ? FILE_PART : 'catalogue', deps)
    if (dry_run) {
      const known = await readCatalogue(db, org_id, true)
      return toWireImport(listChangedControls(planImport(catalogue, known, { archive_missing })), dry_run)
    }
    const idempotency = buildIdempotencyClaim(request)
    return db.withTransaction({ org_id }, async tx => {
      const saved = await findAnswer(tx, org_id, idempotency, now)
      if (saved) return saved
      const planned = planImport(catalogue, await lockCatalogue(tx, org_id), { archive_missing })
      const imported = toWireImport(listChangedControls(planned), dry_run)
      const { controls: _, dry_run: __, ...counts } = imported
      await saveImport(tx, request, ids, planned, { format, archive_missing, ...counts })
      await saveAnswer(tx, org_id, idempotency, imported)
      return imported
    })
  },
)

async function findAnswer(
  tx: Db,
  org_id: string,
  idempotency: IdempotencyClaim,
  now: Date,
): Promise<ImportedCatalogue | undefined> {
  const answered_sha256 = await claimKey(tx, org_id, idempotency, now)
  refuseOtherContent(answered_sha256, idempotency.request_sha256)
  return answered_sha256 === null ? undefined : findSavedAnswer<ImportedCatalogue>(tx, org_id, idempotency)
}

function readText({ catalogue }: CatalogueImport, file: Buffer | undefined): string {
  if (file && catalogue !== undefined) {
    throw invalid({ [FILE_PART]: 'Send the catalogue once: as a file or in the JSON' })
  }
  const text = file ? parseUtf8(file) : catalogue
  if (text !== undefined) return text.replace(BYTE_ORDER_MARK, '')
  throw invalid(
    file ? { [FILE_PART]: 'Text is not valid UTF-8' } : { catalogue: 'Field required [input: None]' },
  )
}

function parseCatalogue(
  text: string,
  { format = detectFormat(text) }: CatalogueImport,
  field: string,
  { parseJson }: Deps,
): { catalogue: Catalogue; format: CatalogueFormat } {
  const parsers: Record<CatalogueFormat, () => ParsedCatalogue> = {
    yaml: () => parseYamlCatalogue(text),
    csv: () => parseCsvCatalogue(text),
    oscal: () => parseOscalCatalogue(parseJson(Buffer.from(text), field)),
  }
  const parsed = parsers[format]()
  if (!parsed.ok) throw invalid(parsed.errors)
  return { catalogue: parsed.catalogue, format }
}

function listChangedControls(
  planned: readonly PlannedControl[],
): { identifier: string; change: CatalogueChange }[] {
  return planned.flatMap(control =>
    listChanges(control).map(change => ({ identifier: control.identifier, change })),
  )
}

async function saveImport(
  tx: Db,
  request: RequestContext,
  ids: Ids,
  planned: readonly PlannedControl[],
  summary: Record<string, unknown>,
): Promise<void> {
  const { org, caller, now } = request
  const touched = planned.filter(({ entries, tag_change }) => entries.length > 0 || tag_change !== null)
  const changes = touched.map(control => buildStoredChanges(control, ids))
  const controls = changes.flatMap(change => change.controls)
  const versions = changes.flatMap(change => change.versions)
  await storeCatalogue(tx, org.org_id, { controls, versions }, { actor: caller.name, now })
  await recordEvents(tx, request, ids, [
    ...changes.flatMap(({ events }) => events),
    { kind: 'control_catalogue_imported', data: summary },
  ])
}

const EVENT_BY_KIND = {
  Created: 'control_created',
  Edited: 'control_updated',
  Archived: 'control_archived',
  Unarchived: 'control_unarchived',
} as const satisfies Record<ImportedVersion['kind'], EventKind>

/** The same rows and events as if each change had been requested separately. */
function buildStoredChanges(
  { identifier, entries, tag_change, after, ...planned }: PlannedControl,
  ids: Ids,
): CatalogueChanges & { events: EventInput[] } {
  const is_new = planned.control_id === null
  const control_id = planned.control_id ?? ids.next()
  const events = entries.map(({ kind, version, definition, changes }): EventInput => {
    const more = kind === 'Created' ? { name: definition.name } : kind === 'Edited' ? { changes } : {}
    const data = { identifier, version, ...more }
    return { kind: EVENT_BY_KIND[kind], control_id, data }
  })
  if (tag_change) {
    const data = { identifier, ...tag_change }
    events.push({ kind: 'control_tagged', control_id, data })
  }
  return {
    controls: [{ control_id, identifier, ...after, is_new }],
    versions: entries.map(({ version, kind, definition }) => ({ control_id, version, kind, ...definition })),
    events,
  }
}
