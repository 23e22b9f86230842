// MARC: logical and causal reasoning.

// Tables of published causal models.
export { model_migrations } from './model-migrations.ts'
// Reads a published model, or refuses.
export { requireModel } from './model-store.ts'
