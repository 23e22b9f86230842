// MAGE: drafts and the artifacts published from them.

// How a search finds published artifacts.
export { artifact_search } from './artifact-content.ts'
// The tables of artifacts.
export { artifact_migrations, artifact_record_migrations } from './artifact-migrations.ts'
// Which of these artifacts a newer one has replaced.
export { supersededAmong } from './artifact-store.ts'
// Save a draft, and the limits on one.
export { inputs_max, type SavedDraft, saveDraft, title_length_max } from './draft-store.ts'
