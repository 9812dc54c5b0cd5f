// Everything that users of the package import.
export { type CoberturaSummary, readCobertura } from './cobertura.ts'
export { type CtrfSummary, readCtrf } from './ctrf.ts'
export {
  type Compression,
  collectEvidence,
  type Digest,
  type EvidenceFile,
  openEvidence,
} from './evidence-file.ts'
export type { Finding, Severity, SeverityCounts } from './findings.ts'
export { type GitleaksSummary, readGitleaks } from './gitleaks.ts'
export { type GrypeSummary, readGrype } from './grype.ts'
export { type JunitReport, type JunitSuite, readJunit } from './junit.ts'
export type { JsonSchema, Preset } from './preset.ts'
export { findPreset, PRESETS } from './presets.ts'
export { EvidenceProblem } from './problem.ts'
export {
  type EvidenceFormat,
  type EvidenceKind,
  type Recognized,
  recognizeEvidence,
  recognizeFile,
} from './recognize.ts'
export { readSarif, type SarifSummary } from './sarif-summary.ts'
export { readSbom, type SbomReport } from './sbom.ts'
export type { SbomDocument, SbomSubject } from './sbom-document.ts'
export { readSnyk, type SnykFinding, type SnykReport, type SnykResults, type SnykRun } from './snyk.ts'
export {
  readReportTask,
  readSonar,
  type SonarFiles,
  type SonarReportTask,
  type SonarResults,
} from './sonar.ts'
export { readTrivy, type TrivySummary } from './trivy.ts'
