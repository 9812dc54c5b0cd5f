// The types of image.mjs.
import type { Entry } from './entries.mjs'

export interface ImageSettings {
  User: string
  ExposedPorts: Record<string, object>
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
  Volumes: Record<string, object>
  StopSignal: string
  Healthcheck: { Test: string[]; Interval: number; Timeout: number; StartPeriod: number; Retries: number }
}
export const IMAGE_SETTINGS: ImageSettings
export interface Layer {
  comment: string
  bytes: Buffer
  diff_id: string
  descriptor: { mediaType: string; digest: string; size: number }
}
export function makeLayer(comment: string, entries: Entry[], mtime: Date): Promise<Layer>
export function packImage(
  images: { arch: string; layers: Layer[] }[],
  release: { version: string; commit: string; mtime: Date },
): Promise<Buffer>
