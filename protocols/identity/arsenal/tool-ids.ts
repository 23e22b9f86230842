// Ids that no publisher can have: what they name is decided by this engine.
const prefix_form = /^(svc|mcp)\//

export function isHere(id: string): boolean {
  return prefix_form.test(id)
}
