// Reports about an environment, as reporters send them (elements) and normalized (running artifacts).

export const ENVIRONMENT_TYPES = [
  'K8S',
  'ECS',
  'S3',
  'lambda',
  'server',
  'docker',
  'cloudx-apps',
  'cloud-run',
  'logical',
] as const

export type EnvironmentType = (typeof ENVIRONMENT_TYPES)[number]
// A logical environment shows the reports of its members.
export type ReportableType = Exclude<EnvironmentType, 'logical'>

interface ReportedInstance {
  // Image, file or function name to fingerprint, which is empty if the reporter does not know it.
  digests: Readonly<Record<string, string>>
  creationTimestamp: number
  // Other fingerprints of the only artifact in `digests`.
  alternate_digests?: readonly string[] | undefined
}

// How a report describes itself.
export interface ReportView {
  observed_at: Date | null
  reporter: Reporter | null
  // Without duplicates, sorted; null if the report is complete.
  missing: readonly string[] | null
}

export interface Reporter {
  name: string
  version?: string | undefined
  scope?: string | undefined
}

interface ReportedPod extends ReportedInstance {
  podName: string
  namespace: string
  owners?: readonly unknown[] | null | undefined
}

interface ReportedTask extends ReportedInstance {
  taskArn: string
  cluster_name?: string | null | undefined
  service_name?: string | null | undefined
}

interface ReportedApp extends ReportedInstance {
  app_name: string
  app_kind: string
  digests_source: string
}

// A service has a revision, a job does not.
interface ReportedRun extends ReportedInstance {
  kind?: string | null | undefined
  serviceName?: string | null | undefined
  revisionName?: string | null | undefined
  jobName?: string | null | undefined
}

// One type for all: the request schema has already checked that the keys match the environment's type.
export type ReportElement = ReportedInstance &
  Partial<Omit<ReportedPod & ReportedTask & ReportedApp & ReportedRun, keyof ReportedInstance>>

export interface RunningArtifact {
  // The fingerprint, or `name:` and the name if there is no fingerprint.
  artifact_key: string
  fingerprint: string
  name: string
  instance_count: number
  instances: InstancesDetail
}

export interface InstancesDetail {
  creation_timestamps: number[]
  pods: Record<string, PodDetail> | null
  container_task_context: TaskContext | null
  serverless_run_context: RunContext | null
  app_context: AppContext | null
  // Other fingerprints of the artifact, sorted; absent if none were reported.
  alternate_digests?: string[]
}

export interface PodDetail {
  namespace: string
  creationTimestamp: number
  owners: unknown[]
}

export interface TaskContext {
  task_arn: string
  cluster_name: string | null
  service_name: string | null
}

export interface RunContext {
  kind: string | null
  revision_name: string | null
  service_name: string | null
  job_name: string | null
}

export interface AppContext {
  app_name: string
  app_kind: string
  digests_source: string
}
