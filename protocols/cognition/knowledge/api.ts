// The knowledge graph: facts with their history, and the entities they are about.

// Finds entities in a text and the facts that connect them.
export { entitiesIn, factEdges } from './edges.ts'
// The reference of a fact.
export { factRef } from './entity-index.ts'
// Finds the entity that a name means, and describes it.
export { describeEntity, resolveEntity } from './entity-resolution.ts'
// Intersects two periods of validity.
export { intersect } from './history.ts'
// Makes an id that sorts by time.
export { newTimeOrderedId } from './id.ts'
// Tables of facts and entities.
export { knowledge_migrations } from './migrations.ts'
// Declares predicates that have one value at a time, and returns which are declared.
export { declaredFunctional } from './rows.ts'
// Follows facts from an entity, hop by hop.
export { followFacts, type SlicedFact } from './slice.ts'
// Adds, replaces and forgets the facts drawn from a piece of content.
export { addTriples, type FactConflict, factsOf, forgetFacts, replaceTriples } from './store.ts'
