// The public interface of the package.
export { readCobertura } from './cobertura.ts'
export { readCtrf } from './ctrf.ts'
export { readCustom } from './custom.ts'
export { collectEvidence, type EvidenceFile, openEvidence } from './evidence-file.ts'
export { readGitleaks } from './gitleaks.ts'
export { readGrype } from './grype.ts'
export { readJunit } from './junit.ts'
export { findPreset, PRESETS } from './presets.ts'
export { EvidenceProblem } from './problem.ts'
export {
  type EvidenceFormat,
  type EvidenceKind,
  expectKind,
  recognizeEvidence,
  recognizeFile,
} from './recognize.ts'
export { readSarif } from './sarif-summary.ts'
export { readSbom } from './sbom.ts'
export type { SbomDocument } from './sbom-document.ts'
export { readSnyk } from './snyk.ts'
export { readReportTask, readSonar } from './sonar.ts'
export { readTrivy } from './trivy.ts'
