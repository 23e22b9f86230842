/** A sentence for a person: each DID in it by its name, or short. */
export function withNames(sentence: string, names: ReadonlyMap<string, string>): string {
  return sentence.replace(
    /did:oas:[^\s:]+:[^\s:]+:[0-9a-f]{64}/g,
    (did) => names.get(did) ?? shortened(did, 12),
  )
}

/** A DID keeps its tenant and kind, anything else its beginning and end. */
export function shortened(text: string, chars: number): string {
  const did = /^(did:oas:[^:]+:[^:]+:)([0-9a-f]{64})$/.exec(text)
  if (did) return `${did[1]}${did[2]!.slice(0, 8)}…`
  return text.length <= chars + 5 ? text : `${text.slice(0, chars)}…${text.slice(-4)}`
}
