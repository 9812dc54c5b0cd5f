// GET /control-catalogue/{org}: the controls as a catalogue file. Importing the file changes nothing.
import { Readable } from 'node:stream'
import type { CatalogueControl, CatalogueFormat } from '../../../domain/control/catalogue.ts'
import { formatCsvCatalogue } from '../../../domain/control/catalogue-csv.ts'
import { formatYamlCatalogue } from '../../../domain/control/catalogue-yaml.ts'
import { buildOscalCatalogue } from '../../../domain/control/oscal-catalogue-export.ts'
import { Download, defineOperation, type MediaType } from '../../operation.ts'
import { recordDownload } from '../../shared/issued.ts'
import { ControlsPath } from '../wire.ts'
import { readCatalogue } from './store.ts'
import { CatalogueExportQuery, CatalogueFile } from './wire.ts'

const FILES: Record<CatalogueFormat, { type: MediaType; extension: string }> = {
  yaml: { type: 'application/yaml', extension: 'yaml' },
  csv: { type: 'text/csv', extension: 'csv' },
  oscal: { type: 'application/json', extension: 'oscal.json' },
}

export const exportControlCatalogue = defineOperation(
  {
    id: 'exportControlCatalogue',
    method: 'GET',
    path: '/control-catalogue/{org}',
    tag: 'Controls',
    summary: 'Download the control catalogue',
    description:
      'Sorted by identifier, as YAML, CSV or an OSCAL catalog 1.1.3 in JSON. Importing the file changes nothing. ' +
      'In CSV, a value that a spreadsheet would run as a formula gets a leading apostrophe, which the import ' +
      'removes.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: ControlsPath,
    query: CatalogueExportQuery,
    returns: CatalogueFile,
    download: ['application/yaml', 'text/csv', 'application/json'],
    fails: [400, 403],
    example: { query: { format: 'yaml', archived: 'true' } },
  },
  async (request, deps) => {
    const { query, org, now } = request
    const { format = 'yaml', archived = false } = query
    const rows = await readCatalogue(deps.db, org.org_id, archived)
    const times = rows.map(({ last_modified_at }) => last_modified_at.getTime())
    const last_modified = times.length === 0 ? now : new Date(times.reduce((a, b) => Math.max(a, b)))
    const text = renderCatalogue(format, org.name, rows, last_modified)
    const { type, extension } = FILES[format]
    const name = `${org.name}-controls.${extension}`
    const download = new Download(name, Readable.from([text]), Buffer.byteLength(text), type)
    const asked = { scope: 'control catalogue', subject: null, from: null, to: null }
    return recordDownload(download, { ...asked, format: format === 'oscal' ? 'json' : format }, request, deps)
  },
)

function renderCatalogue(
  format: CatalogueFormat,
  org: string,
  controls: readonly CatalogueControl[],
  last_modified: Date,
): string {
  if (format === 'csv') return formatCsvCatalogue(controls)
  if (format === 'yaml') return formatYamlCatalogue(controls)
  return `${JSON.stringify(buildOscalCatalogue(org, controls, last_modified), null, 2)}\n`
}
