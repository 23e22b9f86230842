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

const did_parts = /^did:oas:([^:]+):([^:]+):([0-9a-f]{8})/

/** `acme · agent 1f0c2a7b`: an identity whose name is not known here. */
export function identityText(did: string): string {
  const [, tenant, kind, hash] = did_parts.exec(did) ?? []
  return tenant === undefined ? did : `${tenant} · ${kind} ${hash}`
}

/** A state or kind of the wire as people write it: PARTIALLY_SIGNED is `Partially signed`, HumanRoot `Human root`. */
export function stateText(name: string): string {
  const spaced = name.replaceAll('_', ' ').replace(/(?<=[a-z])[A-Z](?=[a-z])/g, ' $&')
  const is_word = /^[A-Z ]{3,}$/.test(spaced) || spaced !== name
  const text = is_word ? spaced.toLowerCase() : spaced
  if (text === 'ok') return 'OK'
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What a device calls one of its parts: the end of `did:oas:acme:service:…/temperature`. */
export function partName(part_id: string): string {
  return part_id.slice(part_id.lastIndexOf('/') + 1)
}

/** A reason of the engine in the middle of a sentence: `circuit OPEN` is `circuit open`. */
export function reasonText(reason: string): string {
  return reason.replace(/\b(OPEN|HALF_OPEN|CLOSED)\b/, (state) => state.toLowerCase()).replaceAll('_', ' ')
}
