// The computation of MANTIC calibrate, in a worker thread.
import { type CalibrationReport, type Choice, chooseMap, type Method, reportOn } from './calibration.ts'
import type { Sample } from './calibration-fit.ts'
import { applyMap } from './calibration-map.ts'

export interface CalibrationTask {
  readonly sample: Sample
  readonly method: 'auto' | Method
  readonly bins: number
  readonly folds: number
  readonly seed: number
  readonly apply: readonly number[]
}

export interface CalibrationResult extends Choice {
  readonly report: CalibrationReport
  readonly calibrated: number[]
}

export function compute({ sample, method, bins, folds, seed, apply }: CalibrationTask): CalibrationResult {
  const choice = chooseMap(sample, method, folds, bins, seed)
  return {
    ...choice,
    report: reportOn(sample, bins),
    calibrated: apply.map((p) => applyMap(choice.map, p)),
  }
}
