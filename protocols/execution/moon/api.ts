// What others may use of moon.

export { ManifestRef, manifestRef } from './manifest.ts'
export { compileManifest } from './manifest-compile.ts'
export { moon_migrations } from './moon-migrations.ts'
export { cancelRun } from './run-asking.ts'
export { type ExternalEffect, run_ref_start } from './run-effect.ts'
export { type Executor, restTopic, work_topic } from './run-executor.ts'
export { countRuns } from './run-figures.ts'
export type { Performed } from './run-outcome.ts'
export { startDueRuns } from './run-schedule.ts'
export { findRun, type OpenRun } from './run-store.ts'
export { openWorkers } from './run-workers.ts'
export { type ListedWorkflow, listWorkflows } from './workflow-listing.ts'
