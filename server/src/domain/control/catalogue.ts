// The content of a catalogue file: the fields of a control, their limits, and detection of the three formats.

import { CONTROL_IDENTIFIER, CONTROL_IDENTIFIER_MAX, TAG_KEY } from '../names.ts'
import type { Tags } from '../tags.ts'
import { parseUrl } from '../url.ts'
import type { FileKind } from '../yaml/problems.ts'
import type { Links } from './change.ts'

export interface CatalogueControl {
  identifier: string
  name: string
  /** Null if the file gives none: name, description and links in the file are the whole definition. */
  description: string | null
  links: Links
  /** Undefined if the file has no tags: the control then keeps its tags. */
  tags: Tags | undefined
  /** Undefined if the file omits it: the control then keeps its state, and a new control is active. */
  archived: boolean | undefined
}

export interface Catalogue {
  controls: CatalogueControl[]
  /** Whether the listed tags are all tags of a control; otherwise they are added to the existing ones. */
  has_all_tags: boolean
}

export type ParsedCatalogue =
  | { ok: true; catalogue: Catalogue }
  | { ok: false; errors: Record<string, string> }

export const CATALOGUE_FORMATS = ['yaml', 'csv', 'oscal'] as const
export type CatalogueFormat = (typeof CATALOGUE_FORMATS)[number]

export const MAX_CONTROLS = 5_000
export const MAX_CONTROL_NAME = 255
export const MAX_CONTROL_DESCRIPTION = 65_536
export const MAX_CONTROL_LINKS = 50
export const MAX_LINK_LABEL = 100
export const MAX_LINK_ADDRESS = 2_048
const MAX_CONTROL_TAGS = 100
const MAX_TAG_KEY = 128
const MAX_TAG_VALUE = 1_024
// A control with every field and two tags has 25 tokens.
const MAX_TOKENS = 125_000

export const CATALOGUE_FILE: FileKind = {
  root: 'catalogue',
  title: 'Catalogue',
  file_key: 'catalogue_file',
  max_tokens: MAX_TOKENS,
}

/** Guesses the format of a file that is sent without one. */
export function detectFormat(text: string): CatalogueFormat {
  const start = text.replace(/^\ufeff/, '').trimStart()
  if (start.startsWith('{') && /"catalog"\s*:/.test(start)) return 'oscal'
  const [firstLine = ''] = start.split(/\r\n|\r|\n/, 1)
  return /(^|,)"?identifier"?(,|$)/.test(firstLine) && firstLine.includes(',') ? 'csv' : 'yaml'
}

/** Describes the problem with a field's text; undefined if it is valid. */
export const FIELD_PROBLEMS = {
  identifier: (text: string) =>
    findPatternProblem(text, CONTROL_IDENTIFIER) ?? findLengthProblem(text, CONTROL_IDENTIFIER_MAX),
  name: (text: string) => findEmptyProblem(text) ?? findLengthProblem(text, MAX_CONTROL_NAME),
  description: (text: string) => findLengthProblem(text, MAX_CONTROL_DESCRIPTION),
  label: (text: string) => findEmptyProblem(text) ?? findLengthProblem(text, MAX_LINK_LABEL),
  address: (text: string) => findAddressProblem(text) ?? findLengthProblem(text, MAX_LINK_ADDRESS),
  tag_key: (text: string) => findPatternProblem(text, TAG_KEY) ?? findLengthProblem(text, MAX_TAG_KEY),
  tag_value: (text: string) => findLengthProblem(text, MAX_TAG_VALUE),
} as const

/** A kind of key-value pairs of a control: their field, their maximum number, and the checks of keys and values. */
export interface PairKind {
  field: 'links' | 'tags'
  max: number
  findKeyProblem(text: string): string | undefined
  findValueProblem(text: string): string | undefined
}

export const LINK_PAIRS: PairKind = {
  field: 'links',
  max: MAX_CONTROL_LINKS,
  findKeyProblem: FIELD_PROBLEMS.label,
  findValueProblem: FIELD_PROBLEMS.address,
}

export const TAG_PAIRS: PairKind = {
  field: 'tags',
  max: MAX_CONTROL_TAGS,
  findKeyProblem: FIELD_PROBLEMS.tag_key,
  findValueProblem: FIELD_PROBLEMS.tag_value,
}

/**
 * Links are shown in browsers, so only web addresses are accepted. Addresses with a password are rejected, so that
 * none is stored.
 */
export function isWebAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || /[\s<>"\\]/.test(text) || !parseUrl(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** Counts code points, as people and PostgreSQL do. */
export function countCharacters(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

function findPatternProblem(text: string, pattern: string): string | undefined {
  return new RegExp(pattern, 'u').test(text) ? undefined : `String should match pattern '${pattern}'`
}

function findEmptyProblem(text: string): string | undefined {
  return text === '' ? 'String should have at least 1 character' : undefined
}

function findLengthProblem(text: string, max: number): string | undefined {
  return text.length > max && countCharacters(text) > max
    ? `String should have at most ${max} characters`
    : undefined
}

function findAddressProblem(text: string): string | undefined {
  return isWebAddress(text) ? undefined : 'Input should be a web address without a user name and password'
}
