import type { OperationContext } from '@svc/contract/operation-context'

/** If the embedder is unavailable all vectors are zero, and only words count. */
export async function vectorsOf(
  { embedder, signal }: Pick<OperationContext<'embedder'>, 'embedder' | 'signal'>,
  texts: readonly string[],
): Promise<readonly Int8Array[]> {
  if (texts.length === 0) return []
  try {
    return await embedder.embed(texts, signal)
  } catch {
    signal.throwIfAborted()
    return texts.map(() => new Int8Array(0))
  }
}
