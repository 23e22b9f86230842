// MOON: workflow manifests and their durable runs.

// References to manifests.
export { ManifestRef, manifestRef } from './manifest.ts'
// Compile the recipe of a manifest.
export { compileManifest } from './manifest-compile.ts'
// The tables of manifests and runs.
export { moon_history_migrations, moon_migrations } from './moon-migrations.ts'
// Cancel a run, with or without compensation.
export { cancelRun } from './run-asking.ts'
// The call that a step of a run makes.
export { type ExternalEffect, run_ref_start } from './run-effect.ts'
// What workers need to execute runs, and the topics that wake them.
export { type Executor, restTopic, work_topic } from './run-executor.ts'
// Counts of open and recently ended runs.
export { countRuns } from './run-figures.ts'
// The result of one attempt at a step.
export type { Performed, Refused } from './run-outcome.ts'
// Start the runs that a schedule makes due.
export { startDueRuns } from './run-schedule.ts'
// Read one open run.
export { findRun, type OpenRun } from './run-store.ts'
// Workers that claim and execute due runs.
export { openWorkers } from './run-workers.ts'
// Workflows as other protocols may show them.
export { type ListedWorkflow, listWorkflows } from './workflow-listing.ts'
