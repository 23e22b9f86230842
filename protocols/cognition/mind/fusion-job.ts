// Runs in a worker thread: large fusions would block other calls.
import { computation } from '@svc/contract/needs/computation'
import { type Fused, type FusionInput, fuse } from './fusion.ts'

export const fusion_job = computation<FusionInput, Fused>(new URL(import.meta.url))

export function compute(input: FusionInput): Fused {
  return fuse(input)
}
