// The files of the tests: small examples of tool output in ../fixtures/, and texts.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { type EvidenceFile, EvidenceProblem, openEvidence } from './index.ts'

const folder = fileURLToPath(new URL('../fixtures/', import.meta.url))

export const listFixtures = (): string[] => readdirSync(folder).toSorted()

export const readFixture = (name: string): EvidenceFile => openEvidence(name, readFileSync(folder + name))

export const openText = (name: string, text: string): EvidenceFile => openEvidence(name, Buffer.from(text))

/** A fixture with one text replaced; fails unless the text occurs exactly once. */
export function changeFixture(name: string, find: string, replace: string): EvidenceFile {
  const text = Buffer.from(readFixture(name).content).toString()
  expect(text.split(find)).toHaveLength(2)
  return openText(
    name,
    text.replace(find, () => replace),
  )
}

export const toJson = (name: string, value: unknown): EvidenceFile => openText(name, JSON.stringify(value))

/** Expects the package's own error with this message or part of a message. */
export function expectProblem(read: () => unknown, sentence: string): void {
  let problem: unknown
  try {
    read()
  } catch (error) {
    problem = error
  }
  expect(problem).toBeInstanceOf(EvidenceProblem)
  expect(String(problem)).toContain(sentence)
}
