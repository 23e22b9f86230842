import type { OperationContext } from '@svc/contract/operation-context'

/** Where the embedder is away the words still tell: then all are without direction, and near to nothing. */
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
