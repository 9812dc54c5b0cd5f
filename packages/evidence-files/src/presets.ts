// Custom attestation types for evidence without a type of its own in the API.
import { COBERTURA_PRESET } from './cobertura.ts'
import { CTRF_PRESET } from './ctrf.ts'
import { GITLEAKS_PRESET } from './gitleaks.ts'
import { GRYPE_PRESET } from './grype.ts'
import type { Preset } from './preset.ts'
import { SARIF_PRESET } from './sarif-summary.ts'
import { TRIVY_PRESET } from './trivy.ts'

export const PRESETS: readonly Preset[] = [
  COBERTURA_PRESET,
  CTRF_PRESET,
  GITLEAKS_PRESET,
  GRYPE_PRESET,
  SARIF_PRESET,
  TRIVY_PRESET,
]

export const findPreset = (name: string): Preset | undefined => PRESETS.find(preset => preset.name === name)
