// What others may use of mage.
export { artifact_search } from './artifact-content.ts'
export { artifact_migrations, artifact_record_migrations } from './artifact-migrations.ts'
export { supersededAmong } from './artifact-store.ts'
export { inputs_max, type SavedDraft, saveDraft, title_length_max } from './draft-store.ts'
