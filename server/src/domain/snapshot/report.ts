// Normalizes a report of any type: the running artifacts, each with its instances. The order of the report never
// matters, so that equal states give equal results.

import { sortByKey } from './canonical.ts'
import { describeInstances } from './instances.ts'
import type { EnvironmentType, ReportElement, RunningArtifact } from './reported.ts'
import { compareText } from './text-order.ts'

export type {
  EnvironmentType,
  ReportableType,
  ReportElement,
  ReportView,
  RunningArtifact,
} from './reported.ts'
export { ENVIRONMENT_TYPES } from './reported.ts'

export function normalizeReport(
  type: EnvironmentType,
  elements: readonly ReportElement[],
): RunningArtifact[] {
  return sortByKey([...groupElements(elements).values()]).map(
    ({ artifact_key, fingerprint, name, elements }) => ({
      artifact_key,
      fingerprint,
      name,
      instance_count: elements.length,
      instances: describeInstances(type, elements),
    }),
  )
}

interface Gathered {
  artifact_key: string
  fingerprint: string
  name: string
  elements: ReportElement[]
  latestPosition: number
}

function groupElements(elements: readonly ReportElement[]): Map<string, Gathered> {
  const gathered = new Map<string, Gathered>()
  for (const [position, element] of elements.entries()) {
    for (const [name, fingerprint] of Object.entries(element.digests)) {
      const artifact_key = fingerprint === '' ? `name:${name}` : fingerprint
      const known = gathered.get(artifact_key)
      if (known) addElement(known, name, element, position)
      else {
        gathered.set(artifact_key, {
          artifact_key,
          fingerprint,
          name,
          elements: [element],
          latestPosition: position,
        })
      }
    }
  }
  return gathered
}

// One element may give one fingerprint two names. It is still one instance.
function addElement(known: Gathered, name: string, element: ReportElement, position: number): void {
  if (compareText(name, known.name) < 0) known.name = name
  if (known.latestPosition === position) return
  known.elements.push(element)
  known.latestPosition = position
}
