// How long a chain of delegations may be. Without a schema: the audit writer's thread reads it, and would load them all.

export const redelegation_depth_max = 8
/** One delegation and as many below it as its depth allows. */
export const chain_links_max = redelegation_depth_max + 1
