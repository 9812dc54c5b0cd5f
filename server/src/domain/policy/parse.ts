// Parses policy YAML into a policy, or lists every error with its position. Whether the named controls exist is
// checked elsewhere.

import { isScalar, isSeq } from 'yaml'
import { ATTESTATION_NAME } from '../names.ts'
import { readType } from '../template/parse.ts'
import { ANY_TYPE } from '../template/template.ts'
import { parseUrl } from '../url.ts'
import { buildErrors, type FileKind } from '../yaml/problems.ts'
import {
  addProblem,
  getScalarValue,
  makeReader,
  type Place,
  type Reader,
  readBoolean,
  readList,
  readMapping,
  readString,
} from '../yaml/reader.ts'
import { computeOffset } from '../yaml/scalar-offset.ts'
import { parseYaml } from '../yaml/yaml-source.ts'
import { parseExpression } from './expression/parser.ts'
import {
  ANY_NAME,
  type AttestationRule,
  DECISION_TYPE,
  type ExpressionText,
  MAX_EXCEPTIONS,
  MAX_RULES,
  type Policy,
  type Requirement,
} from './policy.ts'

export type ParsedPolicy = { ok: true; policy: Policy } | { ok: false; errors: Record<string, string> }

// Limit for all regular expressions of a policy together: they are compiled here and run for each artifact.
const MAX_REGEX_SIZE = 20_000
// A rule with every field in flow style has 22 tokens.
const MAX_TOKENS = 24_000
const POLICY_FILE: FileKind = {
  root: 'policy',
  title: 'Policy',
  file_key: 'policy_file',
  max_tokens: MAX_TOKENS,
}
const OPENING = '${{'
const CLOSING = '}}'

interface PolicyReader extends Reader {
  regex_size: number
}

export function parsePolicy(yaml: string): ParsedPolicy {
  const source = parseYaml(yaml, POLICY_FILE)
  if (!source.ok) return { ok: false, errors: buildErrors(POLICY_FILE, source.problems) }
  const reader = { ...makeReader(POLICY_FILE, yaml, source.document, source.lines), regex_size: 0 }
  const policy = readPolicy(reader, { path: POLICY_FILE.root, node: source.document.contents, offset: 0 })
  return reader.problems.length === 0
    ? { ok: true, policy }
    : { ok: false, errors: buildErrors(POLICY_FILE, reader.problems) }
}

function readPolicy(reader: PolicyReader, place: Place): Policy {
  const fields = readMapping(reader, place, { required: ['_schema'], optional: ['artifacts'] })
  readSchema(reader, fields.get('_schema'))
  const artifacts = readMapping(reader, omitNull(fields.get('artifacts')), {
    required: [],
    optional: ['provenance', 'trail-compliance', 'attestations'],
  })
  return {
    schema_version: '1',
    artifacts: {
      provenance: readRequirement(reader, artifacts.get('provenance')),
      trail_compliance: readRequirement(reader, artifacts.get('trail-compliance')),
      attestations: readAtMost(reader, artifacts.get('attestations'), MAX_RULES, rule =>
        readRule(reader, rule),
      ),
    },
  }
}

// Several hosts serve the schema, so only the path is checked.
function readSchema(reader: PolicyReader, place: Place | undefined): void {
  const schema = readString(reader, place)
  if (!place || schema === undefined) return
  if (!parseUrl(schema)?.pathname.endsWith('/v1'))
    addProblem(reader, place, "Input should be a URL whose path ends in '/v1'")
}

function readRequirement(reader: PolicyReader, place: Place | undefined): Requirement {
  const fields = readMapping(reader, omitNull(place), {
    required: [],
    optional: ['required', 'exceptions'],
  })
  return {
    required: readBoolean(reader, fields.get('required')) ?? false,
    exceptions: readAtMost(reader, fields.get('exceptions'), MAX_EXCEPTIONS, exception => {
      const condition = readMapping(reader, exception, { required: ['if'], optional: [] }).get('if')
      return { if_condition: readExpression(reader, condition) }
    }),
  }
}

function readRule(reader: PolicyReader, place: Place): AttestationRule {
  const fields = readMapping(reader, place, {
    required: ['type'],
    optional: ['name', 'if', 'must_be_compliant', 'for_control'],
  })
  const name = readName(reader, fields.get('name'))
  const type = readType(reader, fields.get('type'))
  if (name === ANY_NAME && type === ANY_TYPE)
    addProblem(reader, place, "Name and type should not both be '*'")
  const condition = omitNull(fields.get('if'))
  return {
    if_condition: condition ? readExpression(reader, condition) : null,
    name,
    type,
    must_be_compliant: readBoolean(reader, fields.get('must_be_compliant')) ?? true,
    for_control: readControl(reader, omitNull(fields.get('for_control')), type),
  }
}

function readName(reader: PolicyReader, place: Place | undefined): string {
  if (!place) return ANY_NAME
  const name = readString(reader, place)
  if (name === undefined || name === ANY_NAME || new RegExp(ATTESTATION_NAME, 'u').test(name))
    return name ?? ''
  addProblem(reader, place, `String should be '${ANY_NAME}' or match pattern '${ATTESTATION_NAME}'`)
  return name
}

function readControl(reader: PolicyReader, place: Place | undefined, type: string): string | null {
  const control = readString(reader, place)
  if (!place || control === undefined) return null
  if (type !== DECISION_TYPE)
    addProblem(reader, place, `Input is permitted only where type is '${DECISION_TYPE}'`)
  return control
}

function readExpression(reader: PolicyReader, place: Place | undefined): ExpressionText {
  const written = readString(reader, place)
  if (!place || written === undefined) return { text: '' }
  const whole = written.trim()
  if (!whole.startsWith(OPENING) || !whole.endsWith(CLOSING)) {
    addProblem(reader, place, `Expression should be written as ${OPENING} ... ${CLOSING}`)
    return { text: '' }
  }
  const inner = whole.slice(OPENING.length, -CLOSING.length)
  const text = inner.trim()
  const parsed = parseExpression(text)
  if (!parsed.ok) {
    const start = written.indexOf(OPENING) + OPENING.length + inner.length - inner.trimStart().length
    addProblemWithin(reader, place, start + parsed.problem.offset, parsed.problem.sentence)
    return { text }
  }
  reader.regex_size += parsed.regex_size
  if (reader.regex_size > MAX_REGEX_SIZE) {
    addProblem(reader, place, 'The regular expressions of a policy should be smaller in total')
  }
  return { text }
}

// Points to the wrong character inside the string, even if the string is defined elsewhere and used here by an alias.
function addProblemWithin(reader: PolicyReader, place: Place, index: number, sentence: string): void {
  const offset = isScalar(place.node) ? computeOffset(reader.text, place.node, index) : place.offset
  addProblem(reader, { ...place, offset }, sentence)
}

function readAtMost<T>(
  reader: PolicyReader,
  place: Place | undefined,
  max: number,
  readEntry: (entry: Place) => T,
): T[] {
  if (place && isSeq(place.node) && place.node.items.length > max) {
    addProblem(reader, place, `List should have at most ${max} entries`)
    return []
  }
  return readList(reader, place, readEntry)
}

function omitNull(place: Place | undefined): Place | undefined {
  return place && getScalarValue(place) === null ? undefined : place
}
