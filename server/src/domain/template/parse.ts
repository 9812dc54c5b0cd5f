// Parses template YAML into a template, or lists every error with its position. Also writes the two default templates
// for callers that send no YAML.

import { stringify } from 'yaml'
import { toWrittenType } from '../attestation/types.ts'
import { ATTESTATION_NAME, TEMPLATE_NAME } from '../names.ts'
import { buildErrors, type FileKind } from '../yaml/problems.ts'
import {
  addProblem,
  getScalarValue,
  makeReader,
  type Place,
  type Reader,
  readList,
  readMapping,
  readString,
  readUniqueName,
} from '../yaml/reader.ts'
import { parseYaml } from '../yaml/yaml-source.ts'
import {
  ANY_TYPE,
  type ArtifactSlot,
  type AttestationSlot,
  CUSTOM_TYPE,
  FIXED_TYPES,
  type Template,
} from './template.ts'

export type { ArtifactSlot, AttestationSlot, Template } from './template.ts'

export type ParsedTemplate = { ok: true; template: Template } | { ok: false; errors: Record<string, string> }

export const EMPTY_TEMPLATE_YAML = 'version: 1'

const LEGACY_ARTIFACT = 'artifact'

// The parser creates an Error object per bad token, about 15 µs each; this many tokens are some 2,000 attestations.
const MAX_TOKENS = 16_000
const TEMPLATE_FILE: FileKind = {
  root: 'template',
  title: 'Template',
  file_key: 'template_file',
  max_tokens: MAX_TOKENS,
}

export function parseTemplate(yaml: string): ParsedTemplate {
  const source = parseYaml(yaml, TEMPLATE_FILE)
  if (!source.ok) return { ok: false, errors: buildErrors(TEMPLATE_FILE, source.problems) }
  const reader = makeReader(TEMPLATE_FILE, yaml, source.document, source.lines)
  const template = readTemplate(reader, {
    path: TEMPLATE_FILE.root,
    node: source.document.contents,
    offset: 0,
  })
  return reader.problems.length === 0
    ? { ok: true, template }
    : { ok: false, errors: buildErrors(TEMPLATE_FILE, reader.problems) }
}

// Names are not checked here: a bad name is rejected when the text is parsed.
export function formatTemplateFromNames(names: string[]): string {
  const attestations = names
    .filter(name => name !== LEGACY_ARTIFACT)
    .map((name): AttestationSlot => ({ name, type: ANY_TYPE }))
  const template: Template = {
    version: 1,
    trail: { attestations: [], artifacts: [{ name: LEGACY_ARTIFACT, attestations }] },
  }
  return stringify(template, { version: '1.1', lineWidth: 0 })
}

function readTemplate(reader: Reader, place: Place): Template {
  const fields = readMapping(reader, place, { required: ['version'], optional: ['trail'] })
  const version = fields.get('version')
  if (version && getScalarValue(version) !== 1) addProblem(reader, version, 'Input should be 1')
  const trail = fields.get('trail')
  return { version: 1, trail: readTrail(reader, trail && getScalarValue(trail) === null ? undefined : trail) }
}

function readTrail(reader: Reader, place: Place | undefined): Template['trail'] {
  const fields = readMapping(reader, place, { required: [], optional: ['attestations', 'artifacts'] })
  return {
    attestations: readAttestations(reader, fields.get('attestations')),
    artifacts: readArtifacts(reader, fields.get('artifacts')),
  }
}

function readArtifacts(reader: Reader, list: Place | undefined): ArtifactSlot[] {
  const used = new Map<string, number>()
  return readList(reader, list, place => {
    const fields = readMapping(reader, place, { required: ['name'], optional: ['attestations'] })
    return {
      name: readUniqueName(reader, fields.get('name'), TEMPLATE_NAME, used),
      attestations: readAttestations(reader, fields.get('attestations')),
    }
  })
}

function readAttestations(reader: Reader, list: Place | undefined): AttestationSlot[] {
  const used = new Map<string, number>()
  return readList(reader, list, place => {
    const fields = readMapping(reader, place, { required: ['name', 'type'], optional: [] })
    return {
      name: readUniqueName(reader, fields.get('name'), ATTESTATION_NAME, used),
      type: readType(reader, fields.get('type')),
    }
  })
}

export function readType(reader: Reader, place: Place | undefined): string {
  const written = readString(reader, place)
  if (!place || written === undefined) return ''
  const type = toWrittenType(written)
  if (FIXED_TYPES.includes(type) || new RegExp(CUSTOM_TYPE, 'u').test(type)) return type
  const intended = type.toLowerCase().replaceAll('-', '_')
  const hint = FIXED_TYPES.includes(intended) ? `, did you mean '${intended}'?` : ''
  const words = FIXED_TYPES.filter(word => word !== ANY_TYPE)
    .map(word => `'${word}'`)
    .join(', ')
  addProblem(reader, place, `Input should be ${words}, 'custom:<name>' or '${ANY_TYPE}'${hint}`, [
    `Input should be ${words} or '${ANY_TYPE}'${hint}`,
    `String should match pattern '${CUSTOM_TYPE}'`,
  ])
  return type
}
